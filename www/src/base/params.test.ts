import { describe, expect, it } from "vitest";
import { applyEdit, findParams, quoteLike, readPrecision, setParam, setPrecision, unquote } from "./params.ts";

const SCRIPT = `M = 1024           #@param {type:"slider", min:128, max:4096, step:128}
precision = "bf16" #@param ["fp32", "bf16", "mxfp8", "mxfp4"]
fast = True        #@param {type:"boolean"}
label = 'a # b'    #@param
heads: int = 8     #@param [4, 8, 16]
# K = 1 #@param [1]
if M == 1: #@param [1]
    N = 2 #@param [2]
`;

describe("findParams", () => {
  it("reads one control a marked top-level assignment", () => {
    expect(findParams(SCRIPT).map(({ name, literal, control }) => [name, literal, control])).toEqual([
      ["M", "1024", { kind: "slider", min: 128, max: 4096, step: 128 }],
      ["precision", '"bf16"', { kind: "choice", options: ['"fp32"', '"bf16"', '"mxfp8"', '"mxfp4"'] }],
      ["fast", "True", { kind: "boolean" }],
      ["label", "'a # b'", { kind: "text" }],
      ["heads", "8", { kind: "choice", options: ["4", "8", "16"] }],
    ]);
  });

  it("says where the literal stands", () => {
    for (const { from, to, literal } of findParams(SCRIPT)) expect(SCRIPT.slice(from, to)).toBe(literal);
  });

  it("finds a literal that repeats the name", () => {
    const [param] = findParams('a = "a" #@param ["a", "b"]');
    expect(param?.from).toBe(4);
  });
});

describe("setParam", () => {
  it("changes the literal and nothing else", () => {
    expect(applyEdit(SCRIPT, setParam(SCRIPT, "M", "2048"))).toBe(SCRIPT.replace("1024", "2048"));
  });

  it("has nothing to do for the same literal or an unknown name", () => {
    expect(setParam(SCRIPT, "M", "1024")).toBeNull();
    expect(setParam(SCRIPT, "K", "1")).toBeNull();
  });
});

describe("precision", () => {
  it("is read and written without its quotes", () => {
    expect(readPrecision(SCRIPT)).toEqual({ current: "bf16", offered: ["fp32", "bf16", "mxfp8", "mxfp4"] });
    expect(applyEdit(SCRIPT, setPrecision(SCRIPT, "mxfp4"))).toBe(SCRIPT.replace('"bf16" #', '"mxfp4" #'));
  });

  it("cannot be set to what the kernel does not offer", () => {
    expect(setPrecision(SCRIPT, "fp64")).toBeNull();
    expect(readPrecision("x = 1")).toBeNull();
  });
});

describe("literals", () => {
  it("survive quoting", () => {
    expect(quoteLike("'x'", "it's")).toBe("'it\\'s'");
    expect(unquote("'it\\'s'")).toBe("it's");
    expect(quoteLike("8", "16")).toBe("16");
  });
});
