import { MAX_TREE_BYTES, type RepoFile } from '../../protocol/repo-snapshot.ts'
import type { Interpreted } from '../interpret-document.ts'
import { type Problem, wholeFile } from '../problem.ts'
import type { ChosenCluster } from './choose-cluster.ts'
import { type ClusterRevision, clusterRevision, isPatched, patchedSize } from './cluster-revision.ts'

type Content = Extract<RepoFile, { kind: 'file' }>

export type ReadFile = (path: string, file: Content, revised?: Revised) => Interpreted

/** What a Cluster makes of files, and which version of its own file that is. */
export interface Revised {
  readonly revision: ClusterRevision
  readonly blobId: string | undefined
}

/** A file whose documents the chosen Cluster changes is read again with what it makes of them. */
export function readFor(
  { cluster, file: ownFile }: Extract<ChosenCluster, { kind: 'chosen' }>,
  { files, read }: { readonly files: ReadonlyMap<string, RepoFile>; readonly read: ReadFile },
): (path: string, file: Content) => Interpreted {
  const revision = clusterRevision(cluster)
  const own = files.get(ownFile)
  const blobId = own?.kind === 'file' && own.blobId !== undefined ? `${own.blobId} ${ownFile} ${cluster.name}` : undefined
  let written = 0
  return (path, file) => {
    const asWritten = read(path, file)
    if (path !== ownFile && isOfOtherClusters(asWritten)) return { documents: [], problems: [] }
    const isChanged = hasVariables(file) || asWritten.documents.some((document) => isPatched(document, revision))
    if (!isChanged) return asWritten
    const before = written
    written += asWritten.documents.reduce((sum, document) => sum + patchedSize(document, revision), 0)
    if (written > MAX_TREE_BYTES) return { documents: [], problems: before > MAX_TREE_BYTES ? [] : [tooMuch(ownFile)] }
    return read(path, file, { revision, blobId })
  }
}

/** A patch without a name may be for thousands of documents. What they become together may be as large as a repository. */
function tooMuch(file: string): Problem {
  const message = `patches write more than ${MAX_TREE_BYTES} bytes into the documents of the cluster`
  const remedy = 'name the documents that they are for, or put what is the same into one document'
  return { severity: 'error', reason: 'InvalidValue', at: wholeFile(file), message, remedy }
}

/** What is wrong with another cluster keeps nothing from this one. */
function isOfOtherClusters({ documents }: Interpreted): boolean {
  return documents.length > 0 && documents.every(({ kind }) => kind === 'Cluster')
}

function hasVariables({ bytes }: Content): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('cluster.')
}
