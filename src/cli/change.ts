import { type Command, Option } from 'commander'
import { GitSyncError } from '../gitsync/git-sync-error.ts'
import { type SnapshotCache, snapshotCache } from '../gitsync/snapshot-cache.ts'
import type { RepoSnapshot } from '../protocol/repo-snapshot.ts'
import { createLoader, type LoadFleet } from '../repo/load-fleet.ts'
import type { FleetModel } from '../repo/model.ts'
import type { CliIo } from './cli-io.ts'
import { serverVersionOption } from './control-plane/server-version.ts'
import { type FakeNodesOption, fakeNodes } from './fake-nodes.ts'
import { clusterOption, type NamedCluster } from './named-cluster.ts'
import { judgeFiles, readSnapshot, validModel } from './read-fleet.ts'
import type { NodeSource } from './read-nodes.ts'

/** From what to what, and which nodes it meets. */
export interface ChangeOptions extends NodeSource, NamedCluster, FakeNodesOption {
  readonly from: string
  readonly to?: string
  readonly serverVersion: readonly string[]
}

/** For commands about a change of the repository. */
export function withChangeOptions(command: Command): Command {
  return command
    .argument('[path]', 'folder of the fleet', '.')
    .option('--from <rev>', 'the commit that the nodes run now; none: no commit yet, so every node is new', 'HEAD')
    .option('--to <rev>', 'the commit to change to. Default: the files in the folder, committed or not')
    .option(
      '--nodes <file>',
      'file of nodes, as `kubectl get nodes -o json` prints them, or "-" for stdin. Default: the nodes of the cluster',
    )
    .addOption(
      new Option(
        '--fake-nodes <counts>',
        'number of generated nodes, in all or for each pool, such as control-plane=3,workers=200',
      )
        .argParser(fakeNodes)
        .conflicts('nodes'),
    )
    .addOption(serverVersionOption())
    .addOption(clusterOption())
}

/** One end of a change. */
export interface FleetVersion {
  readonly snapshot: RepoSnapshot
  readonly model: FleetModel
}

export interface FleetChange {
  /** Undefined: the nodes run no commit yet. */
  readonly from: FleetVersion | undefined
  readonly to: FleetVersion
  /** Has read both, and does not parse their files again. */
  readonly load: LoadFleet
}

/** A branch of this name is `heads/none`. */
const NO_COMMIT = 'none'

/** Both ends, the newer one first. @throws {InvalidFleetError} when there is an error in one */
export async function readChange(
  io: CliIo,
  { path, options, ...reading }: { readonly path: string; readonly options: ChangeOptions; readonly warnOfConflicts?: true },
): Promise<FleetChange> {
  const { cluster } = options
  const [load, cache] = [createLoader(), snapshotCache()]
  const to = await readVersion(io, { path, revision: options.to, cluster, load, cache, ...reading })
  if (options.from === NO_COMMIT) return { from: undefined, to, load }
  const from = await readVersion(io, { path, revision: options.from, cluster, load, cache, isAccepted: true })
  return { from, to, load }
}

interface VersionSource extends NamedCluster {
  readonly path: string
  readonly load: LoadFleet
  readonly cache: SnapshotCache
  readonly revision: string | undefined
  readonly warnOfConflicts?: true
  /** Nodes run it. */
  readonly isAccepted?: true
}

async function readVersion(
  io: CliIo,
  { path, cluster, load, cache, isAccepted, ...reading }: VersionSource,
): Promise<FleetVersion> {
  const read = await readSnapshot(io, { path, revision: reading.revision, cache }).catch((error: unknown) => {
    if (isAccepted && error instanceof GitSyncError && error.reason === 'NotARepository')
      throw new Error(`${error.message}; or take --from none, with which every node is new`, { cause: error })
    throw error
  })
  if (isAccepted && read.files.size === 0)
    throw new Error(
      `the folder "${path}" has no files at ${reading.revision}: commit it first, or take --from none, with which every node is new`,
    )
  const snapshot = isAccepted ? { ...read, accepted: isAccepted } : read
  return {
    snapshot,
    model: validModel(io, judgeFiles(snapshot.files, { cluster, accepted: isAccepted }, load), { ...reading, cluster }),
  }
}
