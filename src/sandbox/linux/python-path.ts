/** Folder with `pythonStart`, as programs see it. */
export const pythonFolder = "/run/python";

/** Name of the module that Python imports at its start, if it finds one. */
export const pythonStartFile = "usercustomize.py";

/**
 * The workspace's modules can be imported from everywhere. They come last: a file that somebody sent, such as `json.py`, must not
 * become a part of each program. (`python3 script.py` finds the modules beside the script first, as everywhere.) A variable can
 * only put folders first, and a `.pth` file would have to be in a folder of each environment's version of Python.
 */
export const pythonStart = `import os, sys
own = os.path.dirname(__file__)
sys.path[:] = [path for path in sys.path if path != own] + ["/work"]
`;
