import { expect, it } from "vitest";
import { type Inspectable, Looks } from "./inspecting.ts";
import type { Inspection } from "./inspection.ts";
import type { Reply } from "./protocol.ts";

/** A run whose way to a point takes a number of slices. */
function makeRun(slices: number): Inspectable & { advanced: number } {
  const run = {
    advanced: 0,
    pointOfEntry: () => null,
    seek: () => null,
    ofLine: () => null,
    inspect: () => {
      run.advanced = 0;
      return true;
    },
    advanceInspection: () => {
      run.advanced += 1;
      // A slice ends by the clock, so a slow instruction is enough to end one.
      const end = performance.now() + 13;
      while (performance.now() < end);
      return { fraction: run.advanced / slices, done: run.advanced >= slices };
    },
    inspection: () => ({ name: "copy", operands: [] }) as unknown as Inspection,
    cells: () => {
      throw new Error("not asked for");
    },
  };
  return run;
}

function makeDesk(): { readonly replies: Reply[]; readonly looks: Looks } {
  const replies: Reply[] = [];
  const looks = new Looks({ reply: (reply) => replies.push(reply), pause: () => new Promise((resolve) => setTimeout(resolve, 0)) });
  return { replies, looks };
}

const ended = async (replies: readonly Reply[], count: number): Promise<readonly Reply[]> => {
  await expect.poll(() => replies.filter(({ kind }) => kind === "inspected").length).toBe(count);
  return replies.filter(({ kind }) => kind === "inspected");
};

it("a look runs in slices to its end", async () => {
  const { replies, looks } = makeDesk();
  const run = makeRun(3);
  looks.answer({ kind: "inspect", id: 7, run: 1, launch: 0, core: 0, instance: 5 }, run);
  expect(await ended(replies, 1)).toMatchObject([{ id: 7, inspection: { name: "copy" }, error: null }]);
  expect(run.advanced).toBe(3);
});

it("a look can be stopped between two slices", async () => {
  const { replies, looks } = makeDesk();
  const run = makeRun(1_000);
  looks.answer({ kind: "inspect", id: 7, run: 1, launch: 0, core: 0, instance: 5 }, run);
  looks.stop(7);
  expect(await ended(replies, 1)).toMatchObject([{ id: 7, inspection: null }]);
  expect(run.advanced).toBe(1);
});

it("the newest look wins, and both are answered", async () => {
  const { replies, looks } = makeDesk();
  looks.answer({ kind: "inspect", id: 7, run: 1, launch: 0, core: 0, instance: 5 }, makeRun(1_000));
  looks.answer({ kind: "inspect", id: 8, run: 1, launch: 0, core: 0, instance: 6 }, makeRun(2));
  const answers = await ended(replies, 2);
  expect(answers.find((reply) => "id" in reply && reply.id === 7)).toMatchObject({ inspection: null });
  expect(answers.find((reply) => "id" in reply && reply.id === 8)).toMatchObject({ inspection: { name: "copy" } });
});
