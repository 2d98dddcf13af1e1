import { type Document, isMap, isScalar, parseAllDocuments, type Scalar, visit, type YAMLMap } from 'yaml'
import { repeatedKey } from '../../protocol/repeated-key.ts'
import { type Edit, inserted, replaced } from './edits.ts'

/** Checksums of one file to download, by architecture, that the repository lacks. */
export interface MissingChecksums {
  /** Of the document. */
  readonly path: string
  /** `kubelet 1.36.4`, or a URL. */
  readonly what: string
  readonly urls: ReadonlyMap<string, string>
  /** Whether the server has the checksum beside the file, as `URL.sha256`. */
  readonly isBeside: boolean
  edits(sums: ReadonlyMap<string, string>): readonly Edit[]
}

type Texts = ReadonlyMap<string, string>

interface Parsed {
  readonly path: string
  readonly text: string
  readonly documents: readonly Document[]
}

const PLACEHOLDER = /^0{64}$/
const ARCHITECTURES = ['amd64', 'arm64']

/**
 * Pure. Placeholders, kubelet versions that a release has no checksum of, and checksums that stood beside another URL before.
 * @param before the same files earlier; undefined: nothing is known of them
 */
export function missingChecksums(texts: Texts, before?: Texts): readonly MissingChecksums[] {
  const all = parsed(texts)
  const versions = kubeletVersions(all)
  const former = before && urlsBySum(parsed(before))
  return all.flatMap((file) =>
    file.documents.flatMap((document) => {
      const binary = document.getIn(['spec', 'binary'])
      if (document.get('kind') === 'KubeletRelease' && isMap(binary)) return ofRelease(file, { document, binary, versions })
      return downloadsIn(document).flatMap((download) => ofDownload(file, download, former))
    }),
  )
}

function parsed(texts: Texts): readonly Parsed[] {
  return [...texts].map(([path, text]) => {
    const documents = parseAllDocuments(text, { uniqueKeys: false }) as readonly Document[]
    return { path, text, documents: documents.filter((each) => each.errors.length === 0 && !repeatedKey(each)) }
  })
}

interface KubeletVersion {
  readonly version: string
  /** Of a KubeletRelease; undefined: any. */
  readonly release: string | undefined
}

/** Every `kubelet: {version: …}` of pools and patches; a variable has the values of all clusters. */
function kubeletVersions(files: readonly Parsed[]): readonly KubeletVersion[] {
  const documents = files.flatMap((file) => file.documents)
  const variables = documents.filter((document) => document.get('kind') === 'Cluster')
  const valuesOf = (text: string): readonly string[] => {
    const [, name] = /^\{\{\s*cluster\.(\w+)\s*\}\}$/.exec(text) ?? []
    return name === undefined ? [text] : variables.map((cluster) => String(cluster.getIn(['spec', 'variables', name]) ?? ''))
  }
  const found: KubeletVersion[] = []
  for (const document of documents)
    visit(document, {
      Pair(_, { key, value }) {
        if (!isScalar(key) || key.value !== 'kubelet' || !isMap(value)) return
        const [version, release] = [value.get('version'), value.get('release')]
        if (typeof version !== 'string') return
        for (const each of valuesOf(version))
          if (/^\d+\.\d+\.\d+$/.test(each))
            found.push({ version: each, release: release === undefined ? undefined : String(release) })
      },
    })
  return found
}

interface Release {
  readonly document: Document
  readonly binary: YAMLMap
  readonly versions: readonly KubeletVersion[]
}

function ofRelease({ path, text }: Parsed, { document, binary, versions }: Release): readonly MissingChecksums[] {
  const [url, sums] = [String(binary.get('url')), binary.get('sha256')]
  if (!isMap(sums)) return []
  const name = document.getIn(['metadata', 'name'])
  const needed = versions.filter(({ release }) => release === undefined || release === name).map(({ version }) => version)
  const known = sums.items.map(({ key }) => String(isScalar(key) ? key.value : key))
  const architectures = [...new Set(sums.items.flatMap(({ value }) => (isMap(value) ? keysOf(value) : [])))]
  const about = (version: string, of: readonly string[]) => ({
    ...{ path, what: `kubelet ${version}`, isBeside: true },
    urls: new Map(of.map((arch) => [arch, filled(url, { version, arch })])),
  })
  const placeholders = known.flatMap((version) => {
    const entry = sums.get(version)
    const scalars = isMap(entry) ? scalarsOf(entry).filter(([, { value }]) => PLACEHOLDER.test(String(value))) : []
    if (scalars.length === 0) return []
    const edits = (found: ReadonlyMap<string, string>) => replaced(scalars, found)
    return [
      {
        ...about(
          version,
          scalars.map(([arch]) => arch),
        ),
        edits,
      },
    ]
  })
  const added = [...new Set(needed)].filter((version) => !known.includes(version)).sort()
  const of = architectures.length > 0 ? architectures : ARCHITECTURES
  const lacking = added.map((version) => ({
    ...about(version, of),
    edits: (found: ReadonlyMap<string, string>) => [inserted(text, { sums, version, found })],
  }))
  return [...placeholders, ...lacking]
}

interface Download {
  readonly url: string
  /** By architecture; a file for all of them has one, without a name. */
  readonly sums: readonly (readonly [string, Scalar])[]
}

function downloadsIn(document: Document): readonly Download[] {
  const found: Download[] = []
  visit(document, {
    Map(_, map) {
      const [url, sums] = [map.get('url'), map.get('sha256', true)]
      if (typeof url !== 'string') return
      if (isMap(sums)) found.push({ url, sums: scalarsOf(sums) })
      else if (isScalar(sums)) found.push({ url, sums: [['', sums]] })
    },
  })
  return found
}

/** A checksum that stays while its URL changes is one of another file. */
function ofDownload({ path }: Parsed, { url, sums }: Download, former: ReadonlyMap<string, string> | undefined) {
  const stale = sums.filter(([, { value }]) => {
    const before = former?.get(String(value))
    return PLACEHOLDER.test(String(value)) || (before !== undefined && before !== url)
  })
  if (stale.length === 0) return []
  const urls = new Map(stale.map(([arch]) => [arch, filled(url, { arch })]))
  return [{ path, what: url, urls, isBeside: false, edits: (found: ReadonlyMap<string, string>) => replaced(stale, found) }]
}

function urlsBySum(files: readonly Parsed[]): ReadonlyMap<string, string> {
  const downloads = files.flatMap(({ documents }) => documents.flatMap(downloadsIn))
  return new Map(downloads.flatMap(({ url, sums }) => sums.map(([, { value }]) => [String(value), url] as const)))
}

function scalarsOf(map: YAMLMap): readonly (readonly [string, Scalar])[] {
  return keysOf(map).flatMap((key) => {
    const scalar = map.get(key, true)
    return isScalar(scalar) ? [[key, scalar] as const] : []
  })
}

function keysOf(map: YAMLMap): readonly string[] {
  return map.items.map(({ key }) => String(isScalar(key) ? key.value : key))
}

function filled(url: string, { version = '', arch }: { readonly version?: string; readonly arch: string }): string {
  const minor = version.split('.').slice(0, 2).join('.')
  const values: Readonly<Record<string, string>> = { version, minor, arch }
  return url.replace(/\{\{\s*(\w+)\s*\}\}/g, (whole, name: string) => values[name] ?? whole)
}
