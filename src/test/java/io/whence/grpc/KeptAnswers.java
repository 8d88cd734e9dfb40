package io.whence.grpc;

import io.grpc.Drainable;
import io.grpc.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The client's end of a call: keeps what is sent, as gRPC would. Thread safety: single-writer. */
final class KeptAnswers extends FakeCall<EncodedMessage> {
  final List<byte[]> messages = new ArrayList<>();
  int requested;
  boolean ready = true;
  boolean completed;
  @Nullable Throwable failure;

  /** Returns the status code of the call, {@code OK} once it is completed; null before the end. */
  @Nullable String status() {
    if (completed) {
      return "OK";
    }
    return failure == null ? null : Status.fromThrowable(failure).getCode().name();
  }

  @Override
  public void onNext(EncodedMessage message) {
    if (status() != null) {
      throw new IllegalStateException("the call has ended: " + status());
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (InputStream stream = EncodedMessage.marshaller().stream(message)) {
      ((Drainable) stream).drainTo(bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    messages.add(bytes.toByteArray());
  }

  @Override
  public void onError(Throwable error) {
    if (status() != null) {
      throw new IllegalStateException("the call has ended: " + status());
    }
    failure = error;
  }

  @Override
  public void onCompleted() {
    if (status() != null) {
      throw new IllegalStateException("the call has ended: " + status());
    }
    completed = true;
  }

  @Override
  public boolean isReady() {
    return ready;
  }

  @Override
  public void request(int count) {
    requested += count;
  }
}
