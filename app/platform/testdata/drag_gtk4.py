"""A GTK 4 window from which the files given as arguments can be dragged."""
import sys
import gi
gi.require_version('Gdk', '4.0')
gi.require_version('Gtk', '4.0')
from gi.repository import Gdk, Gio, Gtk


def show(application):
    style = Gtk.CssProvider()
    style.load_from_data(b'.source { background: #ff00ff; }')      # to be found in a picture of the screen
    Gtk.StyleContext.add_provider_for_display(Gdk.Display.get_default(), style, Gtk.STYLE_PROVIDER_PRIORITY_USER)
    files = Gdk.FileList.new_from_list([Gio.File.new_for_path(p) for p in sys.argv[1:]])
    source = Gtk.DragSource(actions=Gdk.DragAction.COPY)
    source.connect('prepare', lambda *_: Gdk.ContentProvider.new_for_value(files))
    area = Gtk.Box(hexpand=True, vexpand=True)
    area.add_css_class('source')
    area.add_controller(source)
    window = Gtk.ApplicationWindow(application=application, title='drag source', default_width=200, default_height=150, child=area)
    window.present()


application = Gtk.Application(application_id='invalid.strata.dragsource', flags=Gio.ApplicationFlags.NON_UNIQUE)
application.connect('activate', show)
application.run([])
