//! The command line as its users meet it: files in, files out, one message, an exit code.

// Running the program in a folder of its own.
mod run;

// The contract: columns, flags, exit codes, matching by label.
mod contract;

// One wrong thing at a time: one message with its place, and nothing written.
mod bad_input;

// The interactive page.
mod report;

// Every command that the README shows.
mod readme;
