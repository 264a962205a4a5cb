enum FolioDevicePlaceholder {}
