import type { RepoFile } from '../protocol/repo-snapshot.ts'
import { checkCertificates } from './checks/certificates.ts'
import { checkCombinations } from './checks/combinations.ts'
import { checkClusterDependencies, checkDependencies } from './checks/dependencies.ts'
import { checkDirectories } from './checks/directories.ts'
import { checkDisruptionFields } from './checks/disruption-fields.ts'
import { checkFileReaders } from './checks/file-readers.ts'
import { checkFlagsFile } from './checks/flags-file.ts'
import { checkFleet } from './checks/fleet.ts'
import { checkFullConfig } from './checks/full-config.ts'
import { checkHostFiles } from './checks/host-files.ts'
import { checkKubeletKnowledge } from './checks/kubelet-knowledge.ts'
import { checkMapFlags } from './checks/map-flags.ts'
import { checkNodeIdentity } from './checks/node-identity.ts'
import { checkNodeObjects } from './checks/node-object.ts'
import { checkOverrides } from './checks/overrides.ts'
import { checkPlaceholders } from './checks/placeholders.ts'
import { checkReferences } from './checks/references.ts'
import { checkReleases } from './checks/releases.ts'
import { checkRepositoryKeys } from './checks/repository-keys.ts'
import { checkNewRollouts, checkRollouts } from './checks/rollouts.ts'
import { checkSelectors } from './checks/selectors.ts'
import { checkShadowedFields } from './checks/shadowed-fields.ts'
import { checkStaticPods } from './checks/static-pods.ts'
import { checkSwap } from './checks/swap.ts'
import { checkSysctls } from './checks/sysctls.ts'
import { checkWindows } from './checks/windows.ts'
import { type ClusterChoice, chooseCluster, clustersIn } from './clusters/choose-cluster.ts'
import { type ReadFile, readFor } from './clusters/read-for-cluster.ts'
import { patchProblems, scopeOf } from './clusters/scope.ts'
import { type Draft, draftOf } from './draft.ts'
import type { Interpreted } from './interpret-document.ts'
import { loadFile } from './load-file.ts'
import type { FleetModel } from './model.ts'
import { compareProblems, type Problem, type ProblemReason, wholeFile } from './problem.ts'
import { sortFiles } from './repo-files.ts'

export interface LoadResult {
  /** Absent when there is an error: a commit is valid as a whole or not at all. */
  readonly model?: FleetModel
  /** In the order of files and lines. */
  readonly problems: readonly Problem[]
}

export type LoadFleet = (files: ReadonlyMap<string, RepoFile>, choice?: ClusterChoice) => LoadResult

/** Each sees all documents that are valid by themselves, so that one reading tells everything. */
const CHECKS: readonly ((draft: Draft) => Problem[])[] = [
  checkFleet,
  checkReferences,
  checkDependencies,
  checkClusterDependencies,
  checkRollouts,
  checkSelectors,
  checkReleases,
  checkPlaceholders,
  checkFullConfig,
  checkFlagsFile,
  checkMapFlags,
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
  checkStaticPods,
  checkOverrides,
  checkWindows,
]

/** Reads a repository of which nothing is known yet. */
export const loadFleet: LoadFleet = (files, choice = {}) =>
  load(files, { ...choice, read: (path, { bytes }, revised) => loadFile(path, bytes, revised?.revision) })

/** Names of the clusters that a repository is for, sorted; none: it is for one, which has no name. */
export function clustersOf(files: ReadonlyMap<string, RepoFile>): readonly string[] {
  return clustersIn(files, (path, { bytes }) => loadFile(path, bytes))
}

/** What is wrong with files that none of these models uses: a misspelt folder, or a Cluster that cannot be read as one. */
export function problemsElsewhere(files: ReadonlyMap<string, RepoFile>, models: readonly FleetModel[]): readonly Problem[] {
  const isUsed = (path: string) => models.some(({ sources, attachments }) => sources.has(path) || attachments.has(path))
  return sortFiles(files)
    .yaml.filter(([path]) => !isUsed(path))
    .flatMap(([path, { bytes }]) => {
      const { documents, problems } = loadFile(path, bytes)
      return documents.length > 0 && problems.length === 0 ? [unusedFile(path)] : problems
    })
}

function unusedFile(path: string): Problem {
  const remedy = 'add it to the paths of a Cluster, or remove it'
  return { severity: 'warning', reason: 'MissingReference', at: wholeFile(path), message: 'no cluster uses this file', remedy }
}

/** A `loadFleet` that remembers files by their blob id: those that did not change are not parsed again. The results are the same. */
export function createLoader(): LoadFleet {
  // Two revisions are in use during a rollout, so what the reading before last needed is kept as well.
  let last = new Map<string, Interpreted>()
  let beforeLast = last
  return (files, choice = {}) => {
    const now = new Map<string, Interpreted>()
    const result = load(files, {
      ...choice,
      read: (path, { bytes, blobId }, revised) => {
        const make = () => loadFile(path, bytes, revised?.revision)
        const by = revised === undefined ? '' : revised.blobId
        if (blobId === undefined || by === undefined) return make()
        const key = [blobId, path, by].join(' ')
        const loaded = now.get(key) ?? last.get(key) ?? beforeLast.get(key) ?? make()
        now.set(key, loaded)
        return loaded
      },
    })
    beforeLast = last
    last = now
    return result
  }
}

interface Loading extends ClusterChoice {
  readonly read: ReadFile
}

function load(files: ReadonlyMap<string, RepoFile>, loading: Loading): LoadResult {
  const chosen = chooseCluster(files, loading)
  if (chosen.kind === 'failed') return { problems: chosen.problems }
  const scope = scopeOf(files, chosen)
  const readOne = chosen.kind === 'none' ? loading.read : readFor(chosen, { files, read: loading.read })
  const loaded = new Map(scope.yaml.map(([path, file]) => [path, readOne(path, file)]))
  const all = [...loaded.values()].flatMap(({ documents }) => documents)
  const documents = chosen.kind === 'none' ? all : [...all.filter(({ kind }) => kind !== 'Cluster'), chosen.cluster]
  const { draft, problems: duplicates } = draftOf(documents, {
    files,
    clusters: new Set(chosen.kind === 'none' ? [] : chosen.all),
  })
  const attached = attachedPaths(draft)
  const problems = [
    ...scope.problems.filter(({ at }) => !attached.has(at.file)),
    ...[...loaded].flatMap(([path, file]) => (attached.has(path) ? asAttachment(path, file) : file.problems)),
    ...duplicates,
    ...(chosen.kind === 'chosen' ? patchProblems(chosen.cluster, documents) : []),
    ...(loading.accepted ? [] : checkNewRollouts(draft)),
    ...CHECKS.flatMap((check) => check(draft)).filter(({ reason }) => !(isPartlyRead(loaded) && reason === 'MissingReference')),
  ].sort(compareProblems)
  if (problems.some(({ severity }) => severity === 'error')) return { problems }
  return { model: modelOf(draft, { attached, sources: new Set(loaded.keys()) }), problems }
}

const OF_THE_TEXT: ReadonlySet<ProblemReason> = new Set(['MalformedYaml', 'DuplicateKey', 'UnreadableFile'])

/** What is missing may stand in a file whose text is wrong: that is said, and is one mistake. */
function isPartlyRead(loaded: ReadonlyMap<string, Interpreted>): boolean {
  const problems = [...loaded.values()].flatMap((file) => file.problems)
  return problems.some(({ severity, reason }) => severity === 'error' && OF_THE_TEXT.has(reason))
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
  const keys = repositories.flatMap(({ apt, dnf, zypper }) => [apt, dnf, zypper].flatMap((source) => source?.keyFrom ?? []))
  const certificates = [...HostProfile.values()].flatMap(({ spec }) =>
    (spec.certificates ?? []).flatMap(({ from }) => from ?? []),
  )
  const manifests = [...HostProfile.values()].flatMap(({ spec }) => (spec.staticPods ?? []).flatMap(({ from }) => from ?? []))
  return new Set([
    ...certificates,
    ...manifests,
    ...files.flatMap(({ from, contentFrom }) => from ?? contentFrom?.sopsFile ?? []),
    ...keys,
  ])
}

function modelOf(
  { documents, files }: Draft,
  { attached, sources }: { readonly attached: ReadonlySet<string>; readonly sources: ReadonlySet<string> },
): FleetModel {
  const [fleet] = documents.Fleet.values()
  const [cluster] = documents.Cluster.values()
  if (!fleet) throw new Error('build no model of a repository without a Fleet: checkFleet must have refused it')
  return {
    ...(cluster && { cluster }),
    sources,
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
