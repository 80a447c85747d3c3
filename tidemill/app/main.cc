// tidemill: runs big file jobs that survive crashes.
//
// The way of a call:
//   app/jobs.cc              the jobs and verbs of this program
//   app/program/start.cc     the outermost: descriptors, SIGPIPE, the last catch
//   app/program/program.cc   parses the command line (ui/command), then calls the verb
//   ui/cli/desk.cc           console, state folder, colours
//   jobs/each/job.cc …       one folder a job; app/runs: the verbs about runs
//   ui/cli/vigil.cc          signals and console while a job works
#include "tidemill/app/jobs.h"
#include "tidemill/app/program/start.h"

int main(int argc, char** argv) {
  return tidemill::app::start(tidemill::app::tidemill_app(), argc, argv);
}
