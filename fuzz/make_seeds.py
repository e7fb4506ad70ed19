"""Makes the seeds of every corpus: files of other programs from formats/tests/fixtures, and a few that are written here.

Run from anywhere, without arguments; what is in a corpus already and is not a seed (an input that broke something) is
left alone: seeds are called seed-*.
"""

import random
from pathlib import Path

HERE = Path(__file__).parent
FIXTURES = HERE.parent / "formats/tests/fixtures"
LARGEST = 9000


def clear(target):
    folder = HERE / "corpus" / target
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("seed-*"):
        old.unlink()


def put(target, name, data):
    if isinstance(data, str):
        data = data.encode()
    if len(data) <= LARGEST:
        (HERE / "corpus" / target / f"seed-{name}").write_bytes(data)


def fixtures(target, *patterns, prefix=b""):
    for pattern in patterns:
        found = sorted(FIXTURES.glob(pattern))
        assert found, pattern
        for file in found:
            if file.is_file():
                put(target, file.name, prefix + file.read_bytes())


def sections(folder):
    """The files of a folder as the target zarr takes them."""
    files = sorted(f for f in folder.rglob("*") if f.is_file())
    return b"\n".join(b"== " + str(f.relative_to(folder)).encode() + b"\n" + f.read_bytes() for f in files)


def main():
    targets = [f.stem for f in (HERE / "fuzz_targets").glob("*.rs")]
    for target in targets:
        clear(target)

    fixtures("table", "pandas*.csv", "pandas*.tsv", "r_write*", "skbio.lsmat", "r_print_dist.txt",
             "formats/r_*.csv", "formats/r_*.txt", "formats/sourmash.csv", "r_lower_na.txt")
    put("table", "small", "\ta\tb\tc\na\t0\t1\t2\nb\t1\t0\t3\nc\t2\t3\t0\n")
    put("table", "quoted", '"","a b","c""d"\n"a b",0,"1,5"\n"c""d","1,5",0\n')
    put("table", "comments", "# a note\n\n\ta\tb\n\na\t0\tNA\nb\t1e-3\t-0\n")
    put("table", "rectangle", "label;a;b\nx;1,5;2\ny;3;nan\n")
    fixtures("triangle", "r_lower_na.csv", "formats/p_*.mdist", "formats/p_*.mibs", "formats/savetxt.txt",
             "formats/ani.txt", "formats/p_rel.rel", prefix=b"\x04")
    put("triangle", "lower", b"\x00a\nb\t1\nc\t2\t3\n")
    put("triangle", "upper", b"\x00\ta\tb\tc\na\t\t1\t2\nb\t\t\t3\nc\t\t\t\n")
    put("triangle", "plain", b"\x03" + b"0 1 2\n1 0 3\n2 3 0\n")
    fixtures("phylip", "skbio*.phylip", "formats/ani.txt.matrix")
    put("phylip", "square", "3\na 0 1 2\nb 1 0 3\nc 2 3 0\n")
    put("phylip", "lower", "    3\nAlpha     \nBeta      1.5\nGamma     2 3\n")
    put("phylip", "wrapped", "3\na 0 1\n 2\nb 1 0\n 3\nc 2 3\n 0\n")
    fixtures("list", "formats/mash.tsv", "formats/q_kin.kin0", prefix=b"\x01")
    put("list", "small", b"\x00a\tb\t1\na\tc\t2\nb\tc\t3\n")
    put("list", "header", b"\x01id1,id2,value\nx,a,1\nx,b,2\ny,a,3\n")
    fixtures("mega", "formats/mega.meg")
    put("mega", "lower", "#mega\n!Title t;\n!Format DataType=Distance DataFormat=LowerLeft NTaxa=3;\n[1] #a\n[2] #b\n[3] #c\n[ 1 2 3 ]\n[1]\n[2] 1\n[3] 2 3\n")
    put("mega", "upper", "#mega\n!Format DataFormat=UpperRight;\n#a\n#b\n#c\n1 2\n3\n")
    fixtures("nexus", "formats/*.nex")
    put("nexus", "upper", "#NEXUS\nBEGIN DISTANCES;\nDIMENSIONS NTAX=3;\nFORMAT TRIANGLE=UPPER NODIAGONAL;\nMATRIX\na 1 2\nb 3\n'c d'\n;\nEND;\n")
    put("nexus", "taxa", "#NEXUS\nBEGIN TAXA;\nDIMENSIONS NTAX=2;\nTAXLABELS a b;\nEND;\nBEGIN DISTANCES;\nFORMAT NOLABELS;\nMATRIX 0 1 1 0;\nEND;\n")
    fixtures("npy", "*.npy", "formats/condensed.npy", "formats/compare")
    for name, which in [("f8", 0), ("grm", 12 * 4), ("four", 4 * 4)]:
        for file in ["square.bin", "f4.bin", "formats/gcta.grm.bin", "formats/p_bin.mdist.bin", "formats/p_bin4.mdist.bin"]:
            put("bin", f"{name}-{Path(file).name}", bytes([which]) + (FIXTURES / file).read_bytes())
    fixtures("parquet", "*.parquet", "formats/parts.parquet/*.parquet")
    fixtures("arrow", "*.feather", "formats/stream.arrows")
    fixtures("hdf5", "formats/*.h5", "formats/table.biom")
    for folder in sorted((FIXTURES / "formats").glob("*.zarr")):
        put("zarr", folder.name, sections(folder))
    fixtures("qza", "*.qza", "skbio.lsmat")
    fixtures("packed", "skbio.lsmat.gz", "formats/table.tsv.*", "formats/table_*.tsv", "formats/square.npy.*", "formats/q_rel.rel.zst")
    fixtures("ordination", "skbio.ordination")
    put("ordination", "small", "Eigvals\t2\n2\t1\n\nProportion explained\t0\n\nSpecies\t0\t0\n\nSite\t2\t2\na\t1\t0\nb\t-1\t0\n\nBiplot\t0\t0\n\nSite constraints\t0\t0\n")
    put("ordination", "biplot", "Eigvals\t1\n2\n\nProportion explained\t1\n1\n\nSpecies\t1\t1\nv\t0.5\n\nSite\t2\t1\na\t1\nb\t-1\n\nBiplot\t0\t0\n\nSite constraints\t0\t0\n")
    fixtures("configuration", "r_cmdscale.csv", "pandas_rectangle.tsv")
    put("configuration", "ours", "label\taxis1\taxis2\tstrategy\na\t1\t2\tproject\nb\t3\t4\tproject\n")
    put("configuration", "plain", "a 1 2\nb 3 4\n")
    put("metadata", "table", "id\tgroup\tdepth\na\tnorth\t1.5\nb\t\tNA\n")
    put("metadata", "qiime", "#SampleID\tsite\n#q2:types\tcategorical\ns1\tgut\n")
    put("metadata", "numbers", "label\tweight\na\t1\nb\t0.5\n")
    put("metadata", "alone", "1\n2\n3\n")
    fixtures("metadata", "formats/labels.txt", "formats/p_rel.rel.id", "formats/q_king.king.id", "formats/compare.labels.txt")
    fixtures("map", "first.adjoin")

    draw = random.Random(2024)
    for target, sizes in [("matching", (20, 60, 120)), ("place", (80, 200, 400)), ("joint", (40, 80, 160))]:
        for size in sizes:
            for i in range(6):
                put(target, f"{size}-{i}", draw.randbytes(size))
    words = ["a", "</script>", "<!--", "<img src=x onerror=alert(1)>", "\u2028", "\0", "&lt;", "\"'>", "é", "x" * 40]
    for i in range(6):
        draw.shuffle(words)
        put("page", str(i), "".join(words).encode() + draw.randbytes(40))


if __name__ == "__main__":
    main()
