"""Pages in a real browser: Chromium, which Debian's package or any other installation brings."""

import contextlib
import os
import shutil

import pytest

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="session")
def browser():
    """A headless browser for the whole session; where there must be one, its absence fails."""
    required = os.environ.get("TOPOSWAP_BROWSER") == "required"
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        if required:
            raise
        pytest.skip("playwright is not installed")
    if found is None:
        if required:
            pytest.fail("no Chromium here: apt-get install chromium")
        pytest.skip("no Chromium here: apt-get install chromium")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=found, args=["--no-sandbox"])
        yield running
        running.close()


class Opened:
    """A page with all that it complained of and asked for."""

    def __init__(self, page):
        self.page = page
        self.complaints = []
        self.requests = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", lambda dialog: (self.complaints.append("dialog"), dialog.dismiss()))
        page.on("request", lambda request: self.requests.append(request.url))

    @property
    def left_the_file(self):
        return [url for url in self.requests if not url.startswith(("file:", "data:", "blob:"))]

    @property
    def contents(self):
        return self.page.evaluate(
            "() => JSON.parse(document.getElementById('contents').textContent)"
        )


@pytest.fixture
def open_page(browser):
    """Open a file; nothing may be on the console and no request may leave the file at the end."""
    with contextlib.ExitStack() as stack:
        opened = []

        def show(path, **context):
            size = {"width": 1300, "height": 900}
            own = browser.new_context(viewport=size, accept_downloads=True, **context)
            stack.callback(own.close)
            found = Opened(own.new_page())
            found.page.goto(path.as_uri())
            opened.append(found)
            return found

        yield show
        for one in opened:
            assert one.complaints == []
            assert one.left_the_file == []
            assert [url for url in one.requests if url.startswith("file:")][1:] == []
