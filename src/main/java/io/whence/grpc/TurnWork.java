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

  /** Is told of the end of work, once. */
  interface Done {
    /** All is done. */
    void done();

    /** The work failed and does not go on. */
    void failed(Throwable failure);

    /** The work needs a worker, and none takes it. It does not go on. */
    void overloaded();
  }
}
