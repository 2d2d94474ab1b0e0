"""What Python programs by others say of the problems that peers.R has written into a folder:

    python3 peers.py FOLDER PyIBP.py
"""

import csv
import importlib.util
import os
import sys

import numpy
import sklearn
from sklearn.decomposition import NMF

folder = sys.argv[1]


def read(name):
    with open(os.path.join(folder, name)) as file:
        return numpy.array([[float(v) for v in row] for row in list(csv.reader(file))[1:]])


def write(name, header, rows):
    with open(os.path.join(folder, name), "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def pyibp(path, alpha, sigma_x, sigma_a):
    """Log densities of features, and of the data given these"""
    numpy.int = int  # older than PyIBP expects
    spec = importlib.util.spec_from_file_location("PyIBP", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = read("pyibp-x.csv")
    rows = []
    for line in open(os.path.join(folder, "pyibp-features.txt")):
        kinds = [int(kind) for kind in line.split()]
        z = numpy.array([[kind >> i & 1 for kind in kinds] for i in range(len(x))], dtype=float)
        # The constructor compares arrays with None, as numpy no longer does.
        state = module.PyIBP.__new__(module.PyIBP)
        state.X, (state.N, state.D) = x, x.shape
        state.ZV, state.K, state.m = z, z.shape[1], z.sum(axis=0)
        state.alpha, state.sigma_x, state.sigma_a = alpha, sigma_x, sigma_a
        rows.append([line.strip(), repr(state.logIBP()), repr(state.logPX(state.calcM(z), z))])
    os.remove(os.path.join(folder, "pyibp-features.txt"))
    write("pyibp.csv", ["features", "log_prior", "log_lik"], rows)


def nmf(sigma_x, rate_w, rate_a):
    """The factors at the mode; rates as the penalties that scikit-learn scales by sizes"""
    x = read("nmf-x.csv")
    rows, columns = x.shape
    model = NMF(
        n_components=2, init="custom", solver="cd", tol=1e-14, max_iter=1000000, l1_ratio=1,
        alpha_W=rate_w * sigma_x**2 / columns, alpha_H=rate_a * sigma_x**2 / rows,
    )
    start = numpy.arange(1, rows + 1) / rows
    w = model.fit_transform(
        x, W=numpy.stack([start, 1 - start + 1 / rows], axis=1), H=numpy.ones((2, columns))
    )
    print("scikit-learn", sklearn.__version__, "iterations", model.n_iter_)
    write("nmf-weights.csv", ["a", "b"], [[repr(v) for v in row] for row in w.tolist()])
    loadings = model.components_.T.tolist()
    write("nmf-loadings.csv", ["a", "b"], [[repr(v) for v in row] for row in loadings])


pyibp(sys.argv[2], alpha=0.7, sigma_x=0.8, sigma_a=1.2)
nmf(sigma_x=0.3, rate_w=0.5, rate_a=0.8)
