package io.whence.grpc;

/**
 * Work that is done in turns: on the event loop as long as it takes no file, the rest on a worker.
 * Thread safety: single-writer; one thread after the other.
 */
interface TurnWork {
  /** How a turn ended. */
  enum Turn {
    /** All is done. */
    DONE,
    /**
     * There is more to do, but the time is over, or the rest takes much memory: it goes on when
     * other such work has been done.
     */
    OVER,
    /** The next piece may have to wait for a file. */
    NEEDS_FILES
  }

  /** Goes on until all is done, the time is over, or a file is needed. Never waits. */
  Turn goOn(TimeSlice slice);

  /** Does all that is left; may wait for files. */
  void finish();

  /** Gives back what it works with, and goes on from the beginning the next time. */
  void startOver();

  /** Returns about how many bytes of memory the request takes that the work holds. */
  long requestBytes();

  /** Returns what tells that nobody wants the work any more. */
  CallCancellation cancellation();

  /** Is told of the end of work, once. */
  interface Done {
    /** All is done. */
    void done();

    /** The work failed and does not go on. */
    void failed(Throwable failure);

    /**
     * There is no room for the work, or no time. It does not go on.
     *
     * @param reason what a client is told
     */
    void refused(String reason);
  }
}
