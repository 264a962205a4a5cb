enum FolioServicePlaceholder {}
