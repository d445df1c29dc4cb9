import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { DEFAULT_KERNEL, describe as describeKernel, loadGallery } from "./gallery.ts";

const FOLDER = new URL("../../../kernels/", import.meta.url);
const files = Object.fromEntries(readdirSync(FOLDER).filter((name) => name.endsWith(".py")).map((name) => [`../../kernels/${name}`, readFileSync(new URL(name, FOLDER), "utf8")]));

describe("a kernel file", () => {
  it("names itself in its first line", () => {
    const kernel = describeKernel("k", '"""Tiled matmul. One idea."""\n#@gallery order=40 group="Matrix multiplication"\n');
    expect(kernel).toMatchObject({ id: "k", title: "Tiled matmul", description: "One idea.", group: "Matrix multiplication", order: 40 });
  });

  it("falls back to its file name", () => {
    expect(describeKernel("plain", "x = 1\n")).toMatchObject({ title: "plain", description: "", group: "", order: 999 });
  });
});

describe("the gallery", () => {
  const gallery = loadGallery(files);

  it("has a title, a line and a group for every kernel, in strict order", () => {
    expect(gallery.length).toBeGreaterThanOrEqual(10);
    for (const { title, description, group, id } of gallery) {
      expect([id, title === id, description === "", group === ""]).toEqual([id, false, false, false]);
    }
    const orders = gallery.map(({ order }) => order);
    expect(new Set(orders).size).toBe(orders.length);
  });

  it("holds what the page opens on", () => {
    expect(gallery.map(({ id }) => id)).toContain(DEFAULT_KERNEL);
  });
});
