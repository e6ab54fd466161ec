// Asks piyasa from Go; README.md of docs/clients says how to install it.
module example.org/piyasa

go 1.24
