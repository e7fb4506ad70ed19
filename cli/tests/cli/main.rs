//! The command line as its users meet it: files in, files out, one message, an exit code.

// Running the program in a folder of its own.
mod run;

// The contract: columns, flags, exit codes, matching by label.
mod contract;

// Pictures: what they show and say, and what is refused.
mod plot;

// One wrong thing at a time: one message with its place, and nothing written.
mod bad_input;

// Every command that the README shows.
mod readme;
