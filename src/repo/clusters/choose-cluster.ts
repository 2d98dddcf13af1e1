import type { RepoFile } from '../../protocol/repo-snapshot.ts'
import type { Loaded } from '../draft.ts'
import type { Interpreted, LoadedDocument } from '../interpret-document.ts'
import { formatLocation, type Problem, wholeFile } from '../problem.ts'
import { sortFiles } from '../repo-files.ts'
import type { ClusterSpec } from '../schema/cluster.ts'
import { didYouMean } from '../suggest.ts'

type Content = Extract<RepoFile, { kind: 'file' }>
export type ReadYaml = (path: string, file: Content) => Interpreted

export type ClusterDocument = Loaded<ClusterSpec> & { readonly kind: 'Cluster' }

/** For which cluster a repository is read. */
export interface ClusterChoice {
  /** Absent: it has none. */
  readonly cluster?: string | undefined
  /** A cluster has accepted the commit before, perhaps with an earlier version, or before the repository had Clusters: it is read all the same. */
  readonly accepted?: boolean | undefined
}

export type ChosenCluster =
  /** The repository is for one cluster, as a whole. */
  | { readonly kind: 'none' }
  | { readonly kind: 'chosen'; readonly cluster: ClusterDocument; readonly file: string; readonly all: readonly string[] }
  | { readonly kind: 'failed'; readonly problems: readonly Problem[] }

interface Declared {
  readonly file: string
  readonly document: LoadedDocument
}

/** Names of the clusters that a repository is for, sorted; none: it is for one, which has no name. */
export function clustersIn(files: ReadonlyMap<string, RepoFile>, read: ReadYaml): readonly string[] {
  return [...new Set(declaredIn(files, read).declared.map(({ document }) => document.name))].sort()
}

export function chooseCluster(
  files: ReadonlyMap<string, RepoFile>,
  { read, cluster, accepted }: ClusterChoice & { readonly read: ReadYaml },
): ChosenCluster {
  const { declared, problems } = declaredIn(files, read)
  const [first] = declared
  if (cluster === undefined) return first === undefined ? { kind: 'none' } : failed(unnamed(first, declared))
  if (first === undefined && accepted) return { kind: 'none' }
  const [found, second] = declared.filter(({ document }) => document.name === cluster)
  if (found === undefined) return failed(...problems, unknown(cluster, declared))
  if (second !== undefined) return failed(duplicate(second, found))
  const { document, file } = found
  if (document.spec === undefined) return { kind: 'failed', problems: problems.filter(({ at }) => at.file === file) }
  return { kind: 'chosen', cluster: document as ClusterDocument, file, all: namesOf(declared) }
}

function declaredIn(files: ReadonlyMap<string, RepoFile>, read: ReadYaml) {
  // Of hundreds of clusters, one has no need to read the documents of all others.
  const candidates = sortFiles(files).yaml.filter(([, { bytes }]) =>
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('Cluster'),
  )
  const found = candidates.map(([file, content]) => ({ file, ...read(file, content) }))
  const declared = found.flatMap(({ file, documents }): Declared[] =>
    documents.filter(({ kind }) => kind === 'Cluster').map((document) => ({ file, document })),
  )
  return { declared, problems: found.flatMap(({ problems }) => problems) }
}

function failed(...problems: readonly Problem[]): ChosenCluster {
  return { kind: 'failed', problems }
}

function namesOf(declared: readonly Declared[]): string[] {
  return [...new Set(declared.map(({ document }) => document.name))].sort()
}

function unnamed({ document }: Declared, declared: readonly Declared[]): Problem {
  return {
    severity: 'error',
    reason: 'MissingReference',
    at: document.source.where([]),
    message: `the repository is for several clusters, and none is named: ${namesOf(declared).join(', ')}`,
    remedy: 'name one with --cluster',
  }
}

function unknown(cluster: string, declared: readonly Declared[]): Problem {
  const names = namesOf(declared)
  const known = names.length > 0 ? `known: ${names.join(', ')}` : `write clusters/${cluster}.yaml, or leave out --cluster`
  return {
    severity: 'error',
    reason: 'MissingReference',
    at: declared[0]?.document.source.where([]) ?? wholeFile(`clusters/${cluster}.yaml`),
    message: `no Cluster is named "${cluster}"`,
    remedy: didYouMean(cluster, names) ?? known,
  }
}

function duplicate({ document }: Declared, other: Declared): Problem {
  const message = `a Cluster named "${document.name}" is already in ${formatLocation(other.document.source.where([]))}`
  return { severity: 'error', reason: 'DuplicateName', at: document.source.where([]), message }
}
