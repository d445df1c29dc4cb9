import { describe, expect, it } from "vitest";
import { enclosingCall, expand, Manifest, paramsOf, readImports } from "./manifest.ts";

const SCRIPT = "import numpy as np\nimport nki\nimport nki.isa as nisa\nfrom nki.language import affine_range as ar, ds\n";

describe("names of a script", () => {
  const imports = readImports(SCRIPT);

  it("are expanded through its imports", () => {
    expect(["nisa.nc_matmul", "nki.jit", "np.sum", "ar", "ds", "other.x"].map((path) => expand(path, imports))).toEqual([
      "nki.isa.nc_matmul",
      "nki.jit",
      "numpy.sum",
      "nki.language.affine_range",
      "nki.language.ds",
      "other.x",
    ]);
  });

  it("lead to the catalogue", () => {
    const entry = { name: "nki.isa.nc_matmul", kind: "function", signature: "", value: null, doc: "", params: [] } as const;
    const manifest = new Manifest([entry]);
    expect(manifest.get(expand("nisa.nc_matmul", imports))).toEqual(entry);
    expect(manifest.members("nki.isa")).toEqual([entry]);
    expect(manifest.get("nki.isa.nothing")).toBeNull();
  });
});

describe("paramsOf", () => {
  it("reads names and defaults off a signature", () => {
    expect(paramsOf("(shape, dtype, *, buffer=None, grid=(1, 2), **kwargs)").map((param) => [param.name, param.default])).toEqual([
      ["shape", null],
      ["dtype", null],
      ["buffer", "None"],
      ["grid", "(1, 2)"],
      ["**kwargs", null],
    ]);
    expect(paramsOf("()")).toEqual([]);
  });
});

describe("enclosingCall", () => {
  const at = (text: string): ReturnType<typeof enclosingCall> => enclosingCall(text.replace("|", ""), text.indexOf("|"));

  it("counts the arguments before the cursor", () => {
    expect(at("nisa.nc_matmul(|")).toEqual({ callee: "nisa.nc_matmul", argument: 0, keyword: null });
    expect(at("f(a, g(b, c), [d, e], |")).toEqual({ callee: "f", argument: 3, keyword: null });
    expect(at("f(a, g(b, |")).toEqual({ callee: "g", argument: 1, keyword: null });
  });

  it("reads the keyword at the cursor", () => {
    expect(at("f(a, dst=x|")).toMatchObject({ callee: "f", keyword: "dst" });
    expect(at("f(a, b == c|")).toMatchObject({ callee: "f", keyword: null });
  });

  it("is null outside of calls", () => {
    expect(at("x = 1|")).toBeNull();
    expect(at("f(a)|")).toBeNull();
  });
});
