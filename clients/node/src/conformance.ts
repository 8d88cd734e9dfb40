// Runs conformance cases: JSON to messages, through gRPC, and back. ../conformance/README.md has the format.
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join } from "node:path";
import {
  type DescMethodBiDiStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromJson,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { GroupOffsetsService } from "../gen/whence/v1/group_offsets_service_pb.js";
import { LogService } from "../gen/whence/v1/log_service_pb.js";
import { ResolverService } from "../gen/whence/v1/resolver_service_pb.js";
import { bidi, serverStream, unary } from "./connection.js";
import { Failure } from "./errors.js";
import type { Session } from "./jobs.js";

/** Some case came to something else than it should. */
export class Different extends Error {}

interface Step {
  rpc: string;
  request?: JsonValue;
  requests?: JsonValue[];
  deadline_ms?: number;
  response?: JsonValue;
  responses?: JsonValue[];
  status?: string;
  reason?: string;
  metadata?: Record<string, string>;
}

interface Suite {
  cases: { name: string; steps: Step[] }[];
}

export async function* run(s: Session, paths: string[]) {
  const id = `node-${randomBytes(4).toString("hex")}`;
  let [passed, total] = [0, 0];
  for (const path of paths.flatMap(files)) {
    const suite = JSON.parse(readFileSync(path, "utf8").replaceAll("$RUN", id)) as Suite;
    for (const { name, steps } of suite.cases) {
      total++;
      const lines: string[] = [];
      for (const step of steps) {
        lines.push(...(await check(s, step)));
      }
      passed += lines.length === 0 ? 1 : 0;
      yield* lines.map((line) => `${basename(path)}: ${name}: ${line}`);
    }
  }
  yield `${passed} of ${total} cases passed`;
  if (passed !== total) {
    throw new Different();
  }
}

function files(path: string): string[] {
  if (!statSync(path).isDirectory()) {
    return [path];
  }
  const names = readdirSync(path).filter((name) => name.endsWith(".json"));
  return names.sort().map((name) => join(path, name));
}

async function check(s: Session, step: Step): Promise<string[]> {
  const responses: JsonValue[] = [];
  let failure: Failure | undefined;
  try {
    for await (const response of call(s, step)) {
      responses.push(response);
    }
  } catch (error) {
    failure = Failure.of(error);
  }
  const wanted = step.response === undefined ? (step.responses ?? []) : [step.response];
  const lines = differences(step.rpc, wanted, responses);
  lines.push(...differences(`${step.rpc} status`, step.status ?? "OK", failure?.status ?? "OK"));
  if (step.status === undefined || step.reason !== undefined) {
    // Without a reason, either side may have ended the call.
    lines.push(...differences(`${step.rpc} reason`, step.reason ?? "", failure?.reason ?? ""));
    lines.push(...differences(`${step.rpc} metadata`, step.metadata ?? {}, failure?.metadata ?? {}));
  }
  return lines;
}

async function* call(s: Session, step: Step): AsyncGenerator<JsonValue> {
  const [serviceName, methodName] = step.rpc.split("/");
  const service = [ResolverService, LogService, GroupOffsetsService].find(({ name }) => name === serviceName);
  const method = service?.methods.find(({ name }) => name === methodName);
  if (method === undefined) {
    throw new Error(`${step.rpc} is not known to this client`);
  }
  const requests = (step.requests ?? [step.request ?? {}]).map((request) => fromJson(method.input, request));
  const seconds = (step.deadline_ms ?? 10_000) / 1000;
  for await (const answer of answers(s, method as Method, requests, seconds)) {
    yield toJson(method.output, answer);
  }
}

type Method = DescMethodUnary | DescMethodServerStreaming | DescMethodBiDiStreaming;

async function* answers(s: Session, method: Method, requests: Message[], seconds: number): AsyncGenerator<Message> {
  switch (method.methodKind) {
    case "unary":
      yield await unary(s.client, method, requests[0]!, seconds);
      break;
    case "server_streaming":
      yield* serverStream(s.client, method, requests[0]!, seconds);
      break;
    case "bidi_streaming":
      yield* bidi(s.client, method, requests, seconds);
  }
}

/** Tells where a JSON value differs. "$any" stands for any value that is there. */
export function differences(path: string, wanted: JsonValue, got: JsonValue): string[] {
  if (wanted === "$any") {
    return [];
  }
  if (Array.isArray(wanted) && Array.isArray(got) && wanted.length === got.length) {
    return wanted.flatMap((value, index) => differences(`${path}[${index}]`, value, got[index]!));
  }
  if (isObject(wanted) && isObject(got)) {
    const keys = new Set([...Object.keys(wanted), ...Object.keys(got)]);
    return [...keys].sort().flatMap((key) => {
      const [a, b] = [wanted[key], got[key]];
      if (b === undefined) {
        return [`${path}.${key} is missing`];
      }
      return a === undefined
        ? [`${path}.${key} should not be there: ${JSON.stringify(b)}`]
        : differences(`${path}.${key}`, a, b);
    });
  }
  const same = wanted === got;
  return same ? [] : [`${path} is ${JSON.stringify(got)} instead of ${JSON.stringify(wanted)}`];
}

function isObject(value: JsonValue): value is { [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
