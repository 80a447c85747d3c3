// tidemill: runs big file jobs that survive crashes.
//
// The files in call order:
//   app/jobs.cc              the jobs and verbs of this program
//   app/program/start.cc     the outermost function: descriptors, SIGPIPE, the last catch
//   app/program/program.cc   parses the command line (ui/command), then calls the verb
//   ui/cli/cli_context.cc    console, state folder, colours
//   jobs/each/job.cc …       one folder per job; app/runs: the verbs that manage runs
//   ui/cli/signal_scope.cc   signals and console while a job runs
#include "tidemill/app/jobs.h"
#include "tidemill/app/program/start.h"

int main(int argc, char** argv) {
  return tidemill::app::start(tidemill::app::tidemill_app(), argc, argv);
}
