"""A GTK 3 window from which the files given as arguments can be dragged."""
import sys
import gi
gi.require_version('Gdk', '3.0')
gi.require_version('Gtk', '3.0')
from gi.repository import Gdk, GLib, Gtk

window = Gtk.Window(title='drag source')
window.set_default_size(200, 150)
area = Gtk.EventBox()
style = Gtk.CssProvider()
style.load_from_data(b'* { background: #ff00ff; box-shadow: none; }')      # to be found in a picture of the screen
area.get_style_context().add_provider(style, Gtk.STYLE_PROVIDER_PRIORITY_USER)
window.add(area)
area.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [], Gdk.DragAction.COPY)
area.drag_source_add_uri_targets()
area.connect('drag-data-get', lambda _, context, data, info, time: data.set_uris([GLib.filename_to_uri(p, None) for p in sys.argv[1:]]))
window.connect('destroy', Gtk.main_quit)
window.show_all()
Gtk.main()
