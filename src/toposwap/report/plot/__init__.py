"""Pictures of graphs and of single edges."""
