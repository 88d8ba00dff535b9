"""A report for a browser: one file with the graph to explore and what to know before believing it.

``contents.py`` puts everything that the page shows into one dictionary of plain data, a file each
for columns, edges, views of the graph, the audit and the checks; ``page.py`` writes it into
``static/page.html`` with the styles and scripts beside it. The scripts only show what is there.
"""
