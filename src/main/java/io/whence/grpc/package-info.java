/** The gRPC services: protobuf to model and back, times at the edge, the one error table. */
@NullMarked
package io.whence.grpc;

import org.jspecify.annotations.NullMarked;
