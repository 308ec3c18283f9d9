/* Every command: one struct and one function each, in the file cmd_NAME.c. */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include "cli/cli.h"

extern const struct cli_command command_calibrate, command_check, command_cluster, command_compare,
    command_dram, command_exercise, command_explain, command_html, command_import, command_list,
    command_paper, command_plan, command_plot, command_predict, command_report, command_run,
    command_show, command_sweep, command_timeline, command_trace, command_train, command_validate;

int cmd_calibrate(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_cluster(int argc, char **argv);
int cmd_compare(int argc, char **argv);
int cmd_dram(int argc, char **argv);
int cmd_exercise(int argc, char **argv);
int cmd_explain(int argc, char **argv);
int cmd_html(int argc, char **argv);
int cmd_import(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_paper(int argc, char **argv);
int cmd_plan(int argc, char **argv);
int cmd_plot(int argc, char **argv);
int cmd_predict(int argc, char **argv);
int cmd_report(int argc, char **argv);
int cmd_run(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_sweep(int argc, char **argv);
int cmd_timeline(int argc, char **argv);
int cmd_trace(int argc, char **argv);
int cmd_train(int argc, char **argv);
int cmd_validate(int argc, char **argv);

#endif
