import { sysctlPath } from '../../protocol/sysctl-name.ts'
import { type Draft, errorAt, type Loaded } from '../draft.ts'
import { isLfsPointer, LFS_REMEDY } from '../lfs-pointer.ts'
import { formatLocation, type Problem } from '../problem.ts'
import type { HostFileSpec, HostProfileSpec, SopsSource } from '../schema/host-profile.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'
import { complaintAbout } from '../sops-document.ts'
import type { Path } from '../source.ts'
import { nearest } from '../suggest.ts'

/** A ConfigMap holds 1 MiB, and binary content grows by a third on its way there. */
const MAX_ATTACHMENT = 512 * 1024

/** Host files: where their content comes from, and that no two claim the same place. */
export function checkHostFiles(draft: Draft): Problem[] {
  const { HostProfile, NodeOverride, NodePool } = draft.documents
  return [
    ...[...HostProfile.values(), ...NodeOverride.values()].flatMap((document) =>
      checkContents(document, document.spec.files ?? [], draft.files),
    ),
    ...[...HostProfile.values()].flatMap((profile) => repeatedClaims([profile], (claim) => errorOf(profile, claim))),
    ...[...NodePool.values()].flatMap((pool) => checkPool(pool, HostProfile)),
  ]
}

function checkContents(document: Loaded<unknown>, specs: readonly HostFileSpec[], files: Draft['files']): Problem[] {
  return specs.flatMap(({ from, contentFrom }, index) => {
    const named = from ?? contentFrom?.sopsFile
    const refused = named === undefined ? undefined : refusal(named, files)
    if (refused) {
      const path = contentFrom ? ['contentFrom', 'sopsFile'] : ['from']
      return [errorAt(document, ['files', index, ...path], { reason: 'MissingReference', ...refused })]
    }
    const sopsFile = contentFrom?.sopsFile
    if (sopsFile === undefined) return []
    return checkSecret(document, { path: ['files', index, 'contentFrom'], source: { ...contentFrom, sopsFile }, files })
  })
}

interface Secret {
  readonly path: Path
  readonly source: SopsSource
  readonly files: Draft['files']
}

/** All that can be said without a key. */
function checkSecret(document: Loaded<unknown>, { path, source, files }: Secret): Problem[] {
  const file = files.get(source.sopsFile)
  const complaint = file?.kind === 'file' ? complaintAbout(file.bytes, source) : undefined
  if (complaint === undefined) return []
  const { at, ...said } = complaint
  return [errorAt(document, [...path, at], { reason: 'InvalidSecret', ...said })]
}

export function refusal(from: string, files: Draft['files']): { message: string; remedy?: string } | undefined {
  const file = files.get(from)
  if (!file) return { message: `the repository has no file "${from}"`, remedy: remedyForMissing(from, files) }
  if (file.kind === 'symlink')
    return { message: `"${from}" is a symlink; symlinks are not followed`, remedy: 'put the file itself there' }
  if (file.kind === 'submodule') return { message: `"${from}" is a submodule; submodules are not read` }
  if (file.kind === 'file' && isLfsPointer(file.bytes))
    return { message: `"${from}" is a Git LFS pointer; LFS files are not fetched`, remedy: LFS_REMEDY }
  const size = file.kind === 'tooLarge' ? file.size : file.bytes.byteLength
  return size > MAX_ATTACHMENT ? { message: `"${from}" has ${size} bytes; expected at most ${MAX_ATTACHMENT}` } : undefined
}

/** Who names the folder above the fleet finds every path wrong by the same part. */
function remedyForMissing(from: string, files: Draft['files']): string {
  const below = [...files.keys()].find((path) => path.endsWith(`/${from}`))
  if (below !== undefined) {
    const folder = below.slice(0, -from.length - 1)
    return `paths are relative to the folder of the fleet; if that is "${folder}", name it: nodewave validate ${folder}`
  }
  const near = nearest(from, files.keys())
  return near ? `did you mean "${near}"?` : 'paths are relative to the folder of the fleet'
}

interface Claim {
  /** `file /etc/motd` or `unit chrony.service`. */
  readonly what: string
  readonly profile: Loaded<HostProfileSpec>
  readonly path: Path
}

function checkPool(pool: Loaded<NodePoolSpec>, profiles: ReadonlyMap<string, Loaded<HostProfileSpec>>): Problem[] {
  const names = [...new Set(pool.spec.hostProfiles)]
  const used = names.flatMap((name) => profiles.get(name) ?? [])
  return repeatedClaims(used, (claim, other) => {
    // Within one profile it is reported where it stands.
    if (claim.profile === other.profile) return []
    const message = `profiles "${other.profile.name}" and "${claim.profile.name}" both claim ${claim.what} (${formatLocation(claim.profile.source.where(claim.path))})`
    return [
      errorAt(pool, ['hostProfiles', (pool.spec.hostProfiles ?? []).indexOf(claim.profile.name)], {
        reason: 'Conflict',
        message,
      }),
    ]
  })
}

function errorOf(profile: Loaded<HostProfileSpec>, { what, path }: Claim): Problem[] {
  return [errorAt(profile, path, { reason: 'Conflict', message: `${what} is defined twice` })]
}

function repeatedClaims(
  profiles: readonly Loaded<HostProfileSpec>[],
  tell: (claim: Claim, first: Claim) => Problem[],
): Problem[] {
  const first = new Map<string, Claim>()
  return profiles.flatMap(claimsOf).flatMap((claim) => {
    const other = first.get(claim.what)
    if (!other) first.set(claim.what, claim)
    return other ? tell(claim, other) : []
  })
}

function claimsOf(profile: Loaded<HostProfileSpec>): Claim[] {
  const { files = [], directories = [], links = [], archives = [], groups = [], users = [], units = [] } = profile.spec
  const { repositories = [], packages = [], sysctls = {}, time = {}, certificates = [], staticPods = [] } = profile.spec
  return [
    ...files.map(({ path }, index) => ({ what: `file ${path}`, profile, path: ['files', index, 'path'] })),
    ...staticPods.map(({ path }, index) => ({ what: `file ${path}`, profile, path: ['staticPods', index, 'path'] })),
    // One path is a file or a link.
    ...links.map(({ path }, index) => ({ what: `file ${path}`, profile, path: ['links', index, 'path'] })),
    ...directories.map(({ path }, index) => ({ what: `directory ${path}`, profile, path: ['directories', index, 'path'] })),
    ...groups.map(({ name }, index) => ({ what: `group ${name}`, profile, path: ['groups', index, 'name'] })),
    ...users.map(({ name }, index) => ({ what: `user ${name}`, profile, path: ['users', index, 'name'] })),
    ...archives.map(({ name }, index) => ({ what: `archive ${name}`, profile, path: ['archives', index, 'name'] })),
    ...units.map(({ name }, index) => ({ what: `unit ${name}`, profile, path: ['units', index, 'name'] })),
    ...packages.map(({ name }, index) => ({ what: `package ${name}`, profile, path: ['packages', index, 'name'] })),
    ...repositories.map(({ name }, index) => ({ what: `repository ${name}`, profile, path: ['repositories', index, 'name'] })),
    ...certificates.map(({ name }, index) => ({ what: `certificate ${name}`, profile, path: ['certificates', index, 'name'] })),
    ...Object.keys(time).map((key) => ({ what: `time.${key}`, profile, path: ['time', key] })),
    ...Object.keys(sysctls).map((name) => ({ what: `sysctl /proc/sys/${sysctlPath(name)}`, profile, path: ['sysctls', name] })),
  ]
}
