/* Which runs of a suite its rows and figures read. */
#include "apps/paper/paper_plan.h"
#include "cmocka_complete.h"

static const struct paper_mix compute = {.apps = {0, 1}, .count = 2, .kinds = "CC"};
static const struct paper_mix transfers = {.apps = {1, 2}, .count = 2, .kinds = "CT"};
static const char *const policies[] = {"first", "second", "third"};
static const struct paper_app apps[] = {
    {.name = "a", .kind = "C"}, {.name = "b", .kind = "C"}, {.name = "c", .kind = "T"}};

enum { GOALS = 1 << PAPER_GOALS, STP = 1 << PAPER_STP };

/* `first` of compute-bound mixes at low levels; the gain of `second` over `third` in all others. */
static const struct paper_row goals = {
    .policy = "first", .suite = "s", .kinds = "CC", .measure = PAPER_GOALS, .level_most = 0.5};
static const struct paper_row gain = {.policy = "second",
                                      .against = "third",
                                      .suite = "s",
                                      .kinds = "CT",
                                      .measure = PAPER_STP,
                                      .level_most = 1};
static const struct paper_row also = {
    .policy = "first", .suite = "s", .apps = "a+b", .measure = PAPER_STP, .level_most = 1};
static const struct paper_row shown = {
    .policy = "third", .suite = "s", .kinds = "CT", .measure = PAPER_GOALS, .level_most = 1};

static const struct paper_item item = {.id = "one"}, other = {.id = "other"};
static const struct paper_line lines[] = {
    {&item, &goals}, {&item, &gain}, {&other, &also}, {&item, &shown}};

static struct paper_suite suite(void) {
    return (struct paper_suite){.name = "s",
                                .apps = apps,
                                .app_count = 3,
                                .mix_size = 2,
                                .levels = {0.3, 0.7},
                                .level_count = 2};
}

static struct paper_plan plan_of(const struct paper_suite *suite) {
    return (struct paper_plan){
        .suite = suite, .policies = policies, .policy_count = 3, .rows = lines, .row_count = 3};
}

TEST(rows_read_their_mixes_and_levels) {
    struct paper_suite s = suite();
    struct paper_plan plan = plan_of(&s);
    assert_int_equal(paper_needs(&plan, 0, &compute, 0.3), GOALS | STP);
    assert_int_equal(paper_needs(&plan, 0, &compute, 0.7), STP);
    assert_int_equal(paper_needs(&plan, 0, &transfers, 0.3), 0);
    assert_int_equal(paper_needs(&plan, 1, &compute, 0.3), 0);
    assert_int_equal(paper_needs(&plan, 1, &transfers, 0.7), STP);
    assert_int_equal(paper_needs(&plan, 2, &transfers, 0.7), STP);
}

/* Where jobs lost time is said of a row's own policy at all levels. */
TEST(blame_is_of_all_levels) {
    struct paper_suite s = suite();
    struct paper_plan plan = plan_of(&s);
    plan.blame = true;
    assert_int_equal(paper_needs(&plan, 0, &compute, 0.7), GOALS | STP);
    assert_int_equal(paper_needs(&plan, 0, &transfers, 0.7), 0);
}

/* Every policy has a bar in every group of a figure; rows about one mix have no figure. */
TEST(figures_show_every_policy) {
    struct paper_suite s = suite();
    struct paper_plan plan = plan_of(&s);
    plan.drawn = true;
    plan.row_count = 4;
    assert_int_equal(paper_needs(&plan, 0, &transfers, 0.7), GOALS);
    assert_int_equal(paper_needs(&plan, 2, &compute, 0.3), GOALS);
    assert_int_equal(paper_needs(&plan, 2, &compute, 0.7), 0);
    assert_int_equal(paper_needs(&plan, 1, &compute, 0.3), 0);
    s.level_count = 0; /* bars by class of mixes: all there are */
    assert_int_equal(paper_needs(&plan, 1, &compute, 0), STP);
}
