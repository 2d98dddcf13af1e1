import type { Artifact, HostRepository, KubeletInstall } from '../protocol/host-document.ts'
import { own } from '../protocol/own.ts'
import type { Doc, FleetModel } from '../repo/model.ts'
import { rolloutSettings } from '../repo/rollout-settings.ts'
import type { HostProfileSpec } from '../repo/schema/host-profile.ts'
import type { KubeletReleaseSpec } from '../repo/schema/kubelet-release.ts'
import type { HostRepositorySpec } from '../repo/schema/packages.ts'
import type { LayerSubject } from './layers.ts'

/** How the kubelet of a pool comes onto its hosts. */
export function kubeletInstall(model: FleetModel, { pool }: LayerSubject): KubeletInstall {
  const { layout = 'kubeadm', configMode = 'overlay', flagsFile, version } = pool.spec.kubelet ?? {}
  const release = releaseOf(model, pool)?.spec
  return {
    layout,
    configMode,
    ...(flagsFile === undefined ? {} : { flagsFile }),
    ...binaries(release, version),
    ...packaged(release, version),
    trialSeconds: rolloutSettings(model.fleet.spec, pool.spec).trial / 1000,
  }
}

/** Of the release, if packages of it are installed. */
export function releaseRepositories(model: FleetModel, { pool }: LayerSubject): HostRepository[] {
  const release = releaseOf(model, pool)
  const { version } = pool.spec.kubelet ?? {}
  if (release === undefined || version === undefined) return []
  const name = `release-${release.name}`
  const { apt, dnf, zypper } = release.spec
  if (hasRepository(apt)) return [repository(model, { name, apt: sourceOf(apt, version) })]
  if (hasRepository(dnf)) return [repository(model, { name, dnf: sourceOf(dnf, version) })]
  return hasRepository(zypper) ? [repository(model, { name, zypper: sourceOf(zypper, version) })] : []
}

/** Without a URL, the package comes from the repositories that the host has. */
function hasRepository<Source extends { readonly url?: string }>(
  source: Source | undefined,
): source is Source & { readonly url: string } {
  return source?.url !== undefined
}

/** What is left of a release once the package of it is named elsewhere. */
function sourceOf<Packaged extends { readonly url: string; readonly package?: string; readonly version: string }>(
  { url, package: _package, version: _pattern, ...rest }: Packaged,
  version: string,
) {
  return { ...rest, url: filledIn(url, version) }
}

export function profileRepositories(model: FleetModel, profiles: readonly HostProfileSpec[]): HostRepository[] {
  return profiles.flatMap((profile) => profile.repositories ?? []).map((spec) => repository(model, spec))
}

function repository(model: FleetModel, { name, apt, dnf, zypper }: HostRepositorySpec): HostRepository {
  const keyOf = ({ key, keyFrom = '' }: Keyed) => key ?? Buffer.from(model.attachments.get(keyFrom) ?? []).toString()
  if (zypper !== undefined) return { name, zypper: { url: zypper.url, key: keyOf(zypper) } }
  if (apt === undefined) return { name, ...(dnf && { dnf: { url: dnf.url, key: keyOf(dnf) } }) }
  const { suite = '/', key: _key, keyFrom: _keyFrom, ...rest } = apt
  return { name, apt: { ...rest, suite, key: keyOf(apt) } }
}

const MANAGERS = ['apt', 'dnf', 'zypper'] as const

interface Keyed {
  readonly key?: string | undefined
  readonly keyFrom?: string | undefined
}

function packaged(release: KubeletReleaseSpec | undefined, version: string | undefined): Pick<KubeletInstall, 'package'> {
  const manager = MANAGERS.find((each) => release?.[each] !== undefined)
  const source = manager && release?.[manager]
  if (manager === undefined || source === undefined || version === undefined) return {}
  const { package: name = 'kubelet', version: pattern } = source
  return { package: { manager, name, version: filledIn(pattern, version) } }
}

/** By architecture; nothing when the release has no binaries of that version. */
function binaries(release: KubeletReleaseSpec | undefined, version: string | undefined): Pick<KubeletInstall, 'binary'> {
  const checksums = version === undefined ? undefined : release?.binary?.sha256[version]
  if (release?.binary === undefined || version === undefined || checksums === undefined) return {}
  const { url } = release.binary
  const entries = Object.entries(checksums).map(([arch, sha256]): [string, Artifact] => [
    arch,
    { url: fill(url, { version, arch }), sha256 },
  ])
  return { binary: Object.fromEntries(entries) }
}

function filledIn(pattern: string, version: string): string {
  return fill(pattern, { version, minor: version.split('.').slice(0, 2).join('.') })
}

function fill(text: string, values: Readonly<Record<string, string>>): string {
  return text.replace(/\{\{\s*(\w+)\s*\}\}/g, (placeholder, name: string) => own(values, name) ?? placeholder)
}

function releaseOf(model: FleetModel, pool: LayerSubject['pool']): Doc<KubeletReleaseSpec> | undefined {
  return model.releases.get(pool.spec.kubelet?.release ?? '')
}
