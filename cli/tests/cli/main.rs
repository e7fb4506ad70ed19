//! The command line as its users meet it: files in, files out, one message, an exit code.

// Running the program in a folder of its own.
mod run;

// The contract: columns, flags, exit codes, matching by label.
mod contract;

// Pictures: what they show and say, and what is refused.
mod plot;

// One wrong thing at a time: one message with its place, and nothing written.
mod bad_input;

// Files: nothing is lost, nothing is misnamed, nothing is half-written.
mod files;

// What the program says where it knows better.
mod hints;

// Classes of silent error: the same answer, a refusal, or a remark.
mod silent;

// Families of maps: features and proximities in, the same map out by every road.
mod families;

// Given coordinates with a link: nonmetric maps, and proofs for stress.
mod linked;

// One wrong thing about features at a time.
mod bad_features;

// Who newcomers are like, when to refit, and which strategy predicts better.
mod evidence;

// The interactive page.
mod report;

// Files of other programs: every command that docs/formats.md has for one, and what can be done to them.
mod programs;

// Shards of newcomers, and the table they make.
mod shards;

// What is larger than memory: newcomers row by row, and squares by passes over their file.
mod streams;

// Maps that grow, and the maps that they were.
mod grow;

// Everybody fitted anew, on the old map's axes.
mod refit;

// How certain places are.
mod uncertainty;

// More than the machine has: one message with the number, and nothing written.
mod limits;

// Every command that the README shows.
mod readme;
