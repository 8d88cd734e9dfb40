package io.whence.grpc;

import io.grpc.stub.ServerCallStreamObserver;

/** The server's end of a call that nobody cancels, for tests that say what is sent. */
abstract class FakeCall<R> extends ServerCallStreamObserver<R> {
  Runnable onReady = () -> {};
  Runnable onCancel = () -> {};
  Runnable onClose = () -> {};

  @Override
  public boolean isCancelled() {
    return false;
  }

  @Override
  public boolean isReady() {
    return true;
  }

  @Override
  public void setOnReadyHandler(Runnable handler) {
    onReady = handler;
  }

  @Override
  public void setOnCancelHandler(Runnable handler) {
    onCancel = handler;
  }

  @Override
  public void setOnCloseHandler(Runnable handler) {
    onClose = handler;
  }

  @Override
  public void request(int count) {}

  @Override
  public void setCompression(String compression) {}

  @Override
  public void setMessageCompression(boolean enable) {}

  @Override
  public void disableAutoInboundFlowControl() {}

  @Override
  public void disableAutoRequest() {}
}
