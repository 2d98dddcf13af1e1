import type { RepoFile } from '../../protocol/repo-snapshot.ts'
import { errorAt, type Loaded } from '../draft.ts'
import { IGNORE_FILE } from '../ignore-file.ts'
import type { LoadedDocument } from '../interpret-document.ts'
import type { Problem } from '../problem.ts'
import { type RepoFiles, sortFiles } from '../repo-files.ts'
import type { ClusterSpec } from '../schema/cluster.ts'
import type { ChosenCluster } from './choose-cluster.ts'
import { clusterRevision, unmetPatches } from './cluster-revision.ts'

/** The files that a cluster uses: its own, and what its paths select. */
export function scopeOf(files: ReadonlyMap<string, RepoFile>, chosen: Exclude<ChosenCluster, { kind: 'failed' }>): RepoFiles {
  const all = sortFiles(files)
  if (chosen.kind === 'none') return all
  const { cluster, file } = chosen
  const { paths } = cluster.spec
  const isUsed = (path: string) => path === file || paths === undefined || paths.some((each) => isWithin(path, each))
  const yaml = all.yaml.filter(([path]) => isUsed(path))
  return {
    yaml,
    problems: [
      ...all.problems.filter(({ at }) => isUsed(at.file) || at.file === IGNORE_FILE),
      ...emptyPaths(
        cluster,
        yaml.map(([path]) => path),
      ),
    ],
  }
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`)
}

/** A path that is misspelt would take pools away. */
function emptyPaths(cluster: Loaded<ClusterSpec>, yaml: readonly string[]): Problem[] {
  return (cluster.spec.paths ?? []).flatMap((path, index) =>
    yaml.some((file) => isWithin(file, path))
      ? []
      : [errorAt(cluster, ['paths', index], { reason: 'MissingReference', message: `there are no YAML files at "${path}"` })],
  )
}

/** Patches of documents that the cluster does not use. */
export function patchProblems(cluster: Loaded<ClusterSpec>, documents: readonly LoadedDocument[]): Problem[] {
  return unmetPatches(clusterRevision(cluster), documents).map(({ target: { kind, name }, at }) =>
    errorAt(cluster, [...at.path, 'target', ...(name === undefined ? ['kind'] : ['name'])], {
      reason: 'MissingReference',
      message: name === undefined ? `the cluster uses no ${kind}` : `the cluster uses no ${kind} named "${name}"`,
      remedy: 'correct the target, or add the file of the document to paths',
    }),
  )
}
