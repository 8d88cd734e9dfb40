// What a failed call says of itself: google.rpc.ErrorInfo and RetryInfo in its status.
import { fromBinary } from "@bufbuild/protobuf";
import { anyUnpack } from "@bufbuild/protobuf/wkt";
import * as grpc from "@grpc/grpc-js";
import { ErrorInfoSchema, RetryInfoSchema, StatusSchema } from "../gen/rpc_status_pb.js";

/** Why a whole call failed. Programs decide by reason; an empty one means that gRPC itself failed it. */
export class Failure {
  constructor(
    readonly status: string,
    readonly message: string,
    readonly reason = "",
    readonly metadata: Record<string, string> = {},
    readonly retryAfterMs?: number,
  ) {}

  static of(error: unknown): Failure {
    if (!isServiceError(error)) {
      throw error;
    }
    let reason = "";
    let metadata: Record<string, string> = {};
    let retryAfterMs: number | undefined;
    const [bytes] = error.metadata?.get("grpc-status-details-bin") ?? [];
    const details = bytes instanceof Buffer ? fromBinary(StatusSchema, bytes).details : [];
    for (const detail of details) {
      const info = anyUnpack(detail, ErrorInfoSchema);
      if (info?.domain === "whence") {
        ({ reason, metadata } = info);
      }
      const delay = anyUnpack(detail, RetryInfoSchema)?.retryDelay;
      if (delay !== undefined) {
        retryAfterMs = Number(delay.seconds) * 1000 + delay.nanos / 1e6;
      }
    }
    return new Failure(grpc.status[error.code], error.details, reason, metadata, retryAfterMs);
  }

  /** Whether the same request may be sent again, if it changes nothing or has a request id. */
  get maySucceedLater(): boolean {
    return this.status === "UNAVAILABLE" || this.retryAfterMs !== undefined;
  }

  /** Whether the server was too busy for the request, and said when to try again. */
  get turnedAway(): boolean {
    return this.status === "RESOURCE_EXHAUSTED" && this.retryAfterMs !== undefined;
  }

  toString(): string {
    const facts = Object.keys(this.metadata)
      .sort()
      .map((name) => `${name}=${this.metadata[name]}`)
      .join(", ");
    const words = [this.status, this.reason, facts && `(${facts})`].filter((word) => word !== "");
    const retry = this.retryAfterMs === undefined ? "" : `; retry after ${Math.round(this.retryAfterMs)} ms`;
    return `${words.join(" ")}: ${this.message}${retry}`;
  }
}

function isServiceError(error: unknown): error is grpc.ServiceError {
  return error instanceof Error && "code" in error && typeof error.code === "number" && "details" in error;
}
