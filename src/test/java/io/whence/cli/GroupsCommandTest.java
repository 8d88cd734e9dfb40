package io.whence.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.whence.v1.GroupKind;
import io.whence.v1.GroupSummary;
import io.whence.v1.ListGroupsRequest;
import io.whence.v1.ListGroupsResponse;
import org.junit.jupiter.api.Test;

class GroupsCommandTest extends CommandFixture {
  @Test
  void groups_shownWithKindTopicsAndTimes() {
    server.answer(
        page(
            "",
            GroupSummary.newBuilder()
                .setGroup("billing")
                .setKind(GroupKind.GROUP_KIND_SIMPLE)
                .setOffsetCount(12)
                .addTopics("orders")
                .addTopics("payments")
                .setLastCommitTimeMs(1_709_964_000_000L)
                .setFirstExpiresAtMs(1_710_568_800_000L),
            GroupSummary.newBuilder().setGroup("new").setKind(GroupKind.GROUP_KIND_CLASSIC)));

    assertThat(run("groups", "--zone", "Asia/Shanghai")).isZero();
    assertThat(out.toString())
        .containsPattern(
            "billing +simple +12 +orders, payments +2024-03-09T14:00:00.000\\+08:00"
                + " +2024-03-16T14:00:00.000\\+08:00")
        .containsPattern("new +classic +0 +– +–")
        .contains("source embedded: 2 groups");
  }

  @Test
  void severalPages_allFetched() {
    server.answer(page("p2", GroupSummary.newBuilder().setGroup("a")));
    server.answer(page("p3", GroupSummary.newBuilder().setGroup("b")));
    server.answer(page("", GroupSummary.newBuilder().setGroup("c")));

    assertThat(run("groups", "pre", "--format", "json")).isZero();
    assertThat(server.requests(ListGroupsRequest.class))
        .extracting(ListGroupsRequest::getPageToken)
        .containsExactly("", "p2", "p3");
    assertThat(server.requests(ListGroupsRequest.class))
        .allMatch(request -> request.getPrefix().equals("pre"));
    assertThat(out.toString())
        .contains("\"group\": \"a\"", "\"group\": \"b\"", "\"group\": \"c\"")
        .contains("\"nextPageToken\": \"\"");
  }

  @Test
  void sameTokenAgain_ends() {
    server.answer(page("p", GroupSummary.newBuilder().setGroup("a")));
    server.answer(page("p", GroupSummary.newBuilder().setGroup("b")));

    assertThat(run("groups")).isZero();
    assertThat(server.requests(ListGroupsRequest.class)).hasSize(2);
  }

  @Test
  void nameWithControlCharacters_escaped() {
    server.answer(page("", GroupSummary.newBuilder().setGroup("a\u001b[2J")));

    run("groups");

    assertThat(out.toString()).contains("a\\u001b[2J").doesNotContain("\u001b");
  }

  private static ListGroupsResponse page(String next, GroupSummary.Builder... groups) {
    ListGroupsResponse.Builder page =
        ListGroupsResponse.newBuilder().setSource("embedded").setNextPageToken(next);
    for (GroupSummary.Builder group : groups) {
      page.addGroups(group);
    }
    return page.build();
  }
}
