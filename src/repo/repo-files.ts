import { byText } from '../protocol/by-text.ts'
import type { RepoFile } from '../protocol/repo-snapshot.ts'
import { ignoredFiles } from './ignore-file.ts'
import { isLfsPointer, LFS_REMEDY } from './lfs-pointer.ts'
import { type Problem, wholeFile } from './problem.ts'

type Content = Extract<RepoFile, { kind: 'file' }>

export interface RepoFiles {
  /** Files that may hold documents. */
  readonly yaml: readonly (readonly [path: string, file: Content])[]
  /** What cannot be read, though it may hold documents: leaving it out would accept half a repository. */
  readonly problems: readonly Problem[]
}

/**
 * Files and folders whose name begins with a dot belong to other tools: `.github/`, `.pre-commit-config.yaml`. So do those that the
 * repository says it of.
 */
export function sortFiles(files: ReadonlyMap<string, RepoFile>): RepoFiles {
  const { isIgnored, problems } = ignoredFiles(files)
  const isVisible = (path: string) => !/(?:^|\/)\./.test(path) && !isIgnored(path)
  const visible = [...files].filter(([path]) => isVisible(path)).sort(byText(([key]) => key))
  return {
    yaml: visible.filter((entry): entry is [string, Content] => isDocuments(...entry)),
    problems: [...problems, ...visible.flatMap(([path, file]) => unreadable(path, file))],
  }
}

interface Paths {
  has(path: string): boolean
}

/**
 * Of the files of a valid repository those that count: documents, and what is put onto hosts. A model made of them alone is the same.
 * @param read.attachments paths that `files[].from` names
 */
export function filesThatCount(
  files: ReadonlyMap<string, RepoFile>,
  { sources, attachments }: { readonly sources: Paths; readonly attachments: Paths },
): ReadonlyMap<string, RepoFile> {
  return new Map([...files].filter(([path]) => sources.has(path) || attachments.has(path)))
}

function unreadable(path: string, file: RepoFile): Problem[] {
  if (file.kind === 'submodule') return [problem(path, 'a submodule; submodules are not read', 'put the files themselves there')]
  if (file.kind === 'symlink' && mayHoldDocuments(path))
    return [problem(path, `a symlink to "${file.target}"; symlinks are not followed`, 'put the file itself there')]
  if (file.kind === 'file' && isYaml(path) && isLfsPointer(file.bytes))
    return [problem(path, 'a Git LFS pointer; LFS files are not fetched', LFS_REMEDY)]
  if (file.kind === 'tooLarge' && isYaml(path))
    return [problem(path, `a file of ${file.size} bytes, which is too large to be read`)]
  return []
}

function problem(path: string, what: string, remedy?: string): Problem {
  return {
    severity: 'error',
    reason: 'UnreadableFile',
    at: wholeFile(path),
    message: `expected a YAML file; this is ${what}`,
    remedy,
  }
}

function isDocuments(path: string, file: RepoFile): boolean {
  return file.kind === 'file' && isYaml(path) && !isLfsPointer(file.bytes)
}

function isYaml(path: string): boolean {
  return /\.ya?ml$/.test(path)
}

/** A link without an ending may lead to a folder. */
function mayHoldDocuments(path: string): boolean {
  return isYaml(path) || !/\.[^/]*$/.test(path)
}
