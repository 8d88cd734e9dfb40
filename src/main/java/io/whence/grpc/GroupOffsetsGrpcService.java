package io.whence.grpc;

import io.grpc.stub.StreamObserver;
import io.quarkus.grpc.GrpcService;
import io.whence.commit.LagReader;
import io.whence.commit.reset.ResetPlanner;
import io.whence.commit.reset.ResetPlans;
import io.whence.resolve.LogResolver;
import io.whence.v1.ApplyResetRequest;
import io.whence.v1.ApplyResetResponse;
import io.whence.v1.CommitOffsetRequest;
import io.whence.v1.CommitOffsetResponse;
import io.whence.v1.DeleteGroupRequest;
import io.whence.v1.DeleteGroupResponse;
import io.whence.v1.DeleteOffsetRequest;
import io.whence.v1.DeleteOffsetResponse;
import io.whence.v1.FetchOffsetRequest;
import io.whence.v1.FetchOffsetResponse;
import io.whence.v1.GetGroupLagRequest;
import io.whence.v1.GetGroupLagResponse;
import io.whence.v1.GroupOffsetsServiceGrpc;
import io.whence.v1.ListGroupsRequest;
import io.whence.v1.ListGroupsResponse;
import io.whence.v1.PlanResetRequest;
import io.whence.v1.PlanResetResponse;

/** The service of what groups have committed. Never blocks. Thread safety: thread-safe. */
@GrpcService
class GroupOffsetsGrpcService extends GroupOffsetsServiceGrpc.GroupOffsetsServiceImplBase {
  private final CallRunner runner;
  private final LagHandler lag = new LagHandler(new LagReader(new LogResolver()));
  private final PlanResetHandler planReset;
  private final ApplyResetCalls applyReset;

  GroupOffsetsGrpcService(CallRunner runner, ResetPlanner planner, ResetPlans plans) {
    this.runner = runner;
    planReset = new PlanResetHandler(planner, plans);
    applyReset = new ApplyResetCalls(plans);
  }

  @Override
  public void commitOffset(
      CommitOffsetRequest request, StreamObserver<CommitOffsetResponse> observer) {
    runner.runAsync(
        "CommitOffset",
        request,
        observer,
        CommitCalls::commit,
        CommitOffsetResponse::getResultsCount);
  }

  @Override
  public void fetchOffset(
      FetchOffsetRequest request, StreamObserver<FetchOffsetResponse> observer) {
    runner.run("FetchOffset", request, observer, FetchHandler::fetch);
  }

  @Override
  public void listGroups(ListGroupsRequest request, StreamObserver<ListGroupsResponse> observer) {
    runner.run("ListGroups", request, observer, GroupListing::list);
  }

  @Override
  public void deleteOffset(
      DeleteOffsetRequest request, StreamObserver<DeleteOffsetResponse> observer) {
    runner.runAsync(
        "DeleteOffset",
        request,
        observer,
        GroupDeletions::deleteOffsets,
        DeleteOffsetResponse::getResultsCount);
  }

  @Override
  public void deleteGroup(
      DeleteGroupRequest request, StreamObserver<DeleteGroupResponse> observer) {
    runner.runAsync("DeleteGroup", request, observer, GroupDeletions::deleteGroup, answer -> 1);
  }

  @Override
  public void getGroupLag(
      GetGroupLagRequest request, StreamObserver<GetGroupLagResponse> observer) {
    runner.run("GetGroupLag", request, observer, lag);
  }

  @Override
  public void planReset(PlanResetRequest request, StreamObserver<PlanResetResponse> observer) {
    runner.run("PlanReset", request, observer, planReset);
  }

  @Override
  public void applyReset(ApplyResetRequest request, StreamObserver<ApplyResetResponse> observer) {
    runner.runAsync(
        "ApplyReset", request, observer, applyReset::apply, ApplyResetResponse::getPartitionsCount);
  }
}
