"""A Qt 5 window from which the files given as arguments can be dragged."""
import sys
from PyQt5 import QtCore, QtGui, QtWidgets


class Source(QtWidgets.QWidget):
    def mousePressEvent(self, event):
        self.pressed = event.pos()

    def mouseMoveEvent(self, event):
        if (event.pos() - self.pressed).manhattanLength() < 3:
            return
        data = QtCore.QMimeData()
        data.setUrls([QtCore.QUrl.fromLocalFile(path) for path in sys.argv[1:]])
        drag = QtGui.QDrag(self)
        drag.setMimeData(data)
        drag.exec_(QtCore.Qt.CopyAction | QtCore.Qt.MoveAction)


application = QtWidgets.QApplication([])
source = Source(windowTitle='drag source')
source.setGeometry(20, 40, 200, 150)      # Qt would choose the middle, which the window will cover
palette = source.palette()
palette.setColor(QtGui.QPalette.Window, QtGui.QColor('#ff00ff'))      # to be found in a picture of the screen
source.setPalette(palette)
source.show()
application.exec_()
