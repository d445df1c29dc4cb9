import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Client, type Job } from "./client.ts";
import type { Reply, Request } from "./protocol.ts";

/** A worker whose replies the test decides. */
class FakeWorker extends EventTarget {
  readonly sent: Request[] = [];
  terminated = false;

  postMessage(request: Request): void {
    this.sent.push(request);
  }

  terminate(): void {
    this.terminated = true;
  }

  reply(reply: Reply): void {
    this.dispatchEvent(new MessageEvent("message", { data: reply }));
  }

  last(): Request {
    return this.sent.at(-1) as Request;
  }
}

const workers: FakeWorker[] = [];
const makeClient = (): Client =>
  new Client(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker as unknown as Worker;
  });
const job = (text: string): Job => ({ main: "kernel.py", text, options: { target: "trn3", mode: "estimate" } });
const done = (id: number): Reply => ({ kind: "done", id, report: { version: 1, target: "trn3", mode: "estimate", stdout: "", launches: [], checks: [], diagnostics: [] }, launches: [], console: [], trace_ms: 1, elapsed_ms: 1 });

beforeEach(() => {
  workers.length = 0;
  vi.useFakeTimers();
});
afterEach(() => vi.useRealTimers());

describe("Client", () => {
  it("gives the result of a run", async () => {
    const client = makeClient();
    const ending = client.run(job("a"));
    expect(client.activity.value.busy).toBe(true);
    workers[0]?.reply(done(workers[0].last().id));
    expect((await ending).kind).toBe("done");
    expect(client.activity.value.busy).toBe(false);
  });

  it("runs only the newest of the scripts that wait", async () => {
    const client = makeClient();
    const worker = workers[0] as FakeWorker;
    const endings = ["a", "b", "c"].map((text) => client.run(job(text)));
    expect(worker.sent.map(({ kind }) => kind)).toEqual(["run", "cancel"]);
    worker.reply({ kind: "cancelled", id: worker.sent[0]?.id ?? 0 });
    await vi.advanceTimersByTimeAsync(0);
    expect(worker.last()).toMatchObject({ kind: "run", text: "c" });
    worker.reply(done(worker.last().id));
    expect((await Promise.all(endings)).map(({ kind }) => kind)).toEqual(["cancelled", "cancelled", "done"]);
  });

  it("replaces a worker that does not answer within 150 ms", async () => {
    const client = makeClient();
    const stuck = client.run(job("while True: pass"));
    client.stop();
    await vi.advanceTimersByTimeAsync(149);
    expect(workers[0]?.terminated).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(workers[0]?.terminated).toBe(true);
    expect((await stuck).kind).toBe("cancelled");
    const next = client.run(job("x = 1"));
    const used = workers.find((worker) => worker.sent.some(({ kind }) => kind === "run") && !worker.terminated) as FakeWorker;
    used.reply(done(used.last().id));
    expect((await next).kind).toBe("done");
  });

  it("gives up a simulator that failed", async () => {
    const client = makeClient();
    const ending = client.run(job("a"));
    workers[0]?.reply({ kind: "failed", id: workers[0].last().id, message: "unreachable" });
    expect(await ending).toEqual({ kind: "failed", message: "unreachable" });
    expect(workers[0]?.terminated).toBe(true);
  });

  it("keeps a spare worker warm after the first result", async () => {
    const client = makeClient();
    const ending = client.run(job("a"));
    workers[0]?.reply(done(workers[0].last().id));
    await ending;
    expect(workers.length).toBe(2);
  });

  it("answers questions of a lost worker with null", async () => {
    const client = makeClient();
    const stuck = client.run(job("while True: pass"));
    const question = client.instruction(1, 0, 5);
    client.stop();
    await vi.advanceTimersByTimeAsync(150);
    expect(await question).toBeNull();
    expect((await stuck).kind).toBe("cancelled");
  });
});
