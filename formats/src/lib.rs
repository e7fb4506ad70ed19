//! Every file that adjoin reads or writes.
