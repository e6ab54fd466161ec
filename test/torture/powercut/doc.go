// Package powercut is a disk that loses power: a file system in memory, mounted
// by FUSE, for real processes. It knows of every write whether it was synced, and
// after [Disk.Cut] it has what a disk could have. Random choices come from a seed;
// a run with the same seed repeats the choices, not the timing of the processes.
//
// # The model of the disk
//
// Contents. fsync and fdatasync of a file make its content and its size durable.
// Of the writes since then, every page of 4096 bytes has got to the disk as it was
// at some moment since the sync, as a page cache writes it: after none of its
// writes, after some of the first, or after all; pages do not wait for one another,
// so a later write may be there and an earlier one not. Some pages are torn: of
// their next write only some sectors of 512 bytes are there. A sector is never
// torn. The size is that of some moment since the sync; a page below it that never
// got to the disk holds what it held before, or zeros. Of two truncations the
// second never survives without the first, and no write survives without the
// truncations before it.
//
// Names. Creating, linking, renaming and removing are edits of folders, and a
// rename is whole or did not happen. By default they form one journal, as on ext4
// and XFS: a sync of any file or folder makes all edits up to then durable, and
// of the later ones the first few survive. A strict disk promises only what POSIX
// does: a sync of a folder makes the edits of this folder durable, a sync of a file
// none, and of each folder's later edits the first few survive, whatever became of
// those of others. Names and contents do not wait for one another: a file can be
// there under its new name and be empty.
//
// Modes, owners and times are durable at once. What is not reachable from the root
// after a cut is gone.
//
// # The other faults
//
// The disk can be full, can be read-only, and can fail a sync. After a failed sync
// the unsynced writes are as after a cut, but processes go on seeing them in the
// page cache, and a later sync does not write them: as Linux does it.
//
// # What it has found
//
// Three losses of acknowledged rows that no other test saw: the name of a new data
// folder was not synced; what a killed process had left in SQLite's log was not
// durable before what followed it; and where synchronous_commit is off, commits on
// Postgres did not wait for the disk.
package powercut
