"""`citeleaf export`: the library as a page that needs no server and no model."""
