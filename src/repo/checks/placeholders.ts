import { type Draft, errorAt, type Loaded } from '../draft.ts'
import type { Problem } from '../problem.ts'
import type { HostFileSpec, HostProfileSpec } from '../schema/host-profile.ts'
import type { Path } from '../source.ts'

interface Checksum {
  /** What is downloaded, as in `kubelet 1.36.2`. */
  readonly of: string
  /** Absent: the same for all. */
  readonly arch?: string
  readonly sha256: string
  readonly path: Path
}

/** Zeros are what people write until they know better. They do no harm: no download has that checksum. */
export function checkPlaceholders({ documents: { KubeletRelease, HostProfile, NodeOverride } }: Draft): Problem[] {
  return [
    ...[...KubeletRelease.values()].flatMap((release) =>
      Object.entries(release.spec.binary?.sha256 ?? {}).flatMap(([version, sha256]) =>
        warnings(release, checksums(sha256, { of: `kubelet ${version}`, path: ['binary', 'sha256', version] })),
      ),
    ),
    ...[...HostProfile.values()].flatMap((profile) => [
      ...warnings(profile, ofFiles(profile.spec.files)),
      ...warnings(profile, ofArchives(profile)),
    ]),
    ...[...NodeOverride.values()].flatMap((override) => warnings(override, ofFiles(override.spec.files))),
  ]
}

function ofFiles(files: readonly HostFileSpec[] = []): Checksum[] {
  return files.flatMap(({ path, download }, index) =>
    download === undefined ? [] : checksums(download.sha256, { of: path, path: ['files', index, 'download', 'sha256'] }),
  )
}

/** That of the runtime is one of the archives, and stands elsewhere. */
function ofArchives({ spec, source }: Loaded<HostProfileSpec>): Checksum[] {
  return (spec.archives ?? []).flatMap(({ name, sha256 }, index) => {
    const own: Path = ['archives', index, 'sha256']
    const path: Path = source.textAt(own) === '' ? ['runtime', 'containerd', 'archive', 'sha256'] : own
    return checksums(sha256, { of: `archive "${name}"`, path })
  })
}

function checksums(sha256: string | Readonly<Record<string, string>>, { of, path }: Pick<Checksum, 'of' | 'path'>): Checksum[] {
  if (typeof sha256 === 'string') return [{ of, sha256, path }]
  return Object.entries(sha256).map(([arch, each]) => ({ of, arch, sha256: each, path: [...path, arch] }))
}

function warnings(document: Loaded<unknown>, found: readonly Checksum[]): Problem[] {
  return found
    .filter(({ sha256 }) => /^0+$/.test(sha256))
    .map(({ of, arch, path }): Problem => {
      const message = `the checksum of ${of}${arch === undefined ? '' : ` for ${arch}`} is a placeholder: agents will refuse every download`
      const remedy = 'fill in the checksum that the publisher states'
      return { ...errorAt(document, path, { reason: 'MissingChecksum', message, remedy }), severity: 'warning' }
    })
}
