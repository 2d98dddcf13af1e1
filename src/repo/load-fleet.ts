import type { RepoFile } from '../protocol/repo-snapshot.ts'
import { checkCertificates } from './checks/certificates.ts'
import { checkCombinations } from './checks/combinations.ts'
import { checkDependencies } from './checks/dependencies.ts'
import { checkDirectories } from './checks/directories.ts'
import { checkDisruptionFields } from './checks/disruption-fields.ts'
import { checkFileReaders } from './checks/file-readers.ts'
import { checkFlagsFile } from './checks/flags-file.ts'
import { checkFleet } from './checks/fleet.ts'
import { checkFullConfig } from './checks/full-config.ts'
import { checkHostFiles } from './checks/host-files.ts'
import { checkKubeletKnowledge } from './checks/kubelet-knowledge.ts'
import { checkNodeIdentity } from './checks/node-identity.ts'
import { checkNodeObjects } from './checks/node-object.ts'
import { checkOverrides } from './checks/overrides.ts'
import { checkReferences } from './checks/references.ts'
import { checkReleases } from './checks/releases.ts'
import { checkRepositoryKeys } from './checks/repository-keys.ts'
import { checkRollouts } from './checks/rollouts.ts'
import { checkSelectors } from './checks/selectors.ts'
import { checkShadowedFields } from './checks/shadowed-fields.ts'
import { checkSwap } from './checks/swap.ts'
import { checkSysctls } from './checks/sysctls.ts'
import { checkWindows } from './checks/windows.ts'
import { type Draft, draftOf } from './draft.ts'
import type { Interpreted } from './interpret-document.ts'
import { loadFile } from './load-file.ts'
import type { FleetModel } from './model.ts'
import { compareProblems, type Problem, wholeFile } from './problem.ts'
import { sortFiles } from './repo-files.ts'

export interface LoadResult {
  /** Absent when there is an error: a commit is valid as a whole or not at all. */
  readonly model?: FleetModel
  /** In the order of files and lines. */
  readonly problems: readonly Problem[]
}

export type LoadFleet = (files: ReadonlyMap<string, RepoFile>) => LoadResult

/** Each sees all documents that are valid by themselves, so that one reading tells everything. */
const CHECKS: readonly ((draft: Draft) => Problem[])[] = [
  checkFleet,
  checkReferences,
  checkDependencies,
  checkRollouts,
  checkSelectors,
  checkReleases,
  checkFullConfig,
  checkFlagsFile,
  checkShadowedFields,
  checkKubeletKnowledge,
  checkCombinations,
  checkNodeIdentity,
  checkNodeObjects,
  checkDisruptionFields,
  checkHostFiles,
  checkRepositoryKeys,
  checkFileReaders,
  checkSysctls,
  checkSwap,
  checkDirectories,
  checkCertificates,
  checkOverrides,
  checkWindows,
]

/** Reads a repository of which nothing is known yet. */
export const loadFleet: LoadFleet = (files) => load(files, loadFile)

/** A `loadFleet` that remembers files by their blob id: those that did not change are not parsed again. The results are the same. */
export function createLoader(): LoadFleet {
  // Two revisions are in use during a rollout, so what the reading before last needed is kept as well.
  let last = new Map<string, Interpreted>()
  let beforeLast = last
  return (files) => {
    const now = new Map<string, Interpreted>()
    const result = load(files, (path, bytes, blobId) => {
      if (blobId === undefined) return loadFile(path, bytes)
      const key = `${blobId} ${path}`
      const loaded = last.get(key) ?? beforeLast.get(key) ?? loadFile(path, bytes)
      now.set(key, loaded)
      return loaded
    })
    beforeLast = last
    last = now
    return result
  }
}

type ReadFile = (path: string, bytes: Uint8Array, blobId: string | undefined) => Interpreted

function load(files: ReadonlyMap<string, RepoFile>, read: ReadFile): LoadResult {
  const { yaml, problems: unreadable } = sortFiles(files)
  const loaded = new Map(yaml.map(([path, { bytes, blobId }]) => [path, read(path, bytes, blobId)]))
  const { draft, problems: duplicates } = draftOf(
    [...loaded.values()].flatMap(({ documents }) => documents),
    files,
  )
  const attached = attachedPaths(draft)
  const problems = [
    ...unreadable.filter(({ at }) => !attached.has(at.file)),
    ...[...loaded].flatMap(([path, file]) => (attached.has(path) ? asAttachment(path, file) : file.problems)),
    ...duplicates,
    ...CHECKS.flatMap((check) => check(draft)),
  ].sort(compareProblems)
  return problems.some(({ severity }) => severity === 'error') ? { problems } : { model: modelOf(draft, attached), problems }
}

/** A YAML file that is put onto hosts is content and not ours to read; one that is both would be a trap. */
function asAttachment(path: string, { documents }: Interpreted): Problem[] {
  if (documents.length === 0) return []
  const message = 'a file that is put onto hosts cannot hold documents of the fleet as well'
  return [{ severity: 'error', reason: 'Conflict', at: wholeFile(path), message, remedy: 'put them into files of their own' }]
}

function attachedPaths({ documents: { HostProfile, KubeletRelease, NodeOverride } }: Draft): ReadonlySet<string> {
  const files = [...HostProfile.values(), ...NodeOverride.values()].flatMap(({ spec }) => spec.files ?? [])
  const repositories = [
    ...[...HostProfile.values()].flatMap(({ spec }) => spec.repositories ?? []),
    ...[...KubeletRelease.values()].map(({ spec }) => spec),
  ]
  const keys = repositories.flatMap(({ apt, dnf }) => [apt, dnf].flatMap((source) => source?.keyFrom ?? []))
  const certificates = [...HostProfile.values()].flatMap(({ spec }) =>
    (spec.certificates ?? []).flatMap(({ from }) => from ?? []),
  )
  return new Set([...certificates, ...files.flatMap(({ from, contentFrom }) => from ?? contentFrom?.sopsFile ?? []), ...keys])
}

function modelOf({ documents, files }: Draft, attached: ReadonlySet<string>): FleetModel {
  const [fleet] = documents.Fleet.values()
  if (!fleet) throw new Error('build no model of a repository without a Fleet: checkFleet must have refused it')
  return {
    fleet,
    pools: documents.NodePool,
    flagSets: documents.FlagSet,
    kubeletConfigs: documents.KubeletConfig,
    releases: documents.KubeletRelease,
    hostProfiles: documents.HostProfile,
    overrides: [...documents.NodeOverride.values()],
    attachments: new Map([...attached].flatMap((path) => contentOf(path, files.get(path)))),
  }
}

function contentOf(path: string, file: RepoFile | undefined): [string, Uint8Array][] {
  return file?.kind === 'file' ? [[path, file.bytes]] : []
}
