import { type Architecture, lockedPackage, type PackageName } from './debian-packages.ts'

export interface Component {
  readonly type: 'library' | 'application'
  readonly name: string
  readonly version: string
  readonly purl: string
  readonly 'bom-ref': string
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[]
}

export function debianComponent(name: PackageName, architecture: Architecture): Component {
  const { version, sha256, suite } = lockedPackage(name, architecture)
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${architecture}&distro=${suite}`
  return { type: 'library', name, version, purl, 'bom-ref': purl, hashes: [{ alg: 'SHA-256', content: sha256 }] }
}

export function nodeComponent(version: string): Component {
  const purl = `pkg:generic/node@${version}`
  return { type: 'application', name: 'node', version, purl, 'bom-ref': purl }
}

export function npmComponent(name: string, version: string): Component {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return { type: 'library', name, version, purl, 'bom-ref': purl }
}

/** CycloneDX of a folder or an image; equal content gives an equal document: it has no time and no number. */
export function sbomOf(subject: { readonly name: string; readonly version: string }, components: readonly Component[]): string {
  const own = npmComponent(subject.name, subject.version)
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { component: { ...own, type: 'application' } },
    components,
    dependencies: [{ ref: own['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) }],
  }
  return `${JSON.stringify(document, null, 2)}\n`
}
