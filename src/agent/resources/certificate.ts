import { type HostCertificate, SYSTEM_SECTIONS } from '../../protocol/system-sections.ts'
import { sha256Of } from '../sha256.ts'
import { defineKind } from './define-kind.ts'
import { type FileBaseline, fileBaselines, verifyContent } from './file-baseline.ts'
import { type FileChange, fileHands } from './file-hands.ts'
import type { HostHands, Kind, Section, SectionPlace } from './kind.ts'
import { directoriesToRemove } from './missing-parents.ts'
import { readRegular } from './regular-file.ts'

/** Where distributions have certificates of their administrators put; the last one is Debian's. */
const LAYOUTS = [
  { directory: '/etc/pki/ca-trust/source/anchors', suffix: 'pem' },
  { directory: '/etc/pki/trust/anchors', suffix: 'pem' },
  { directory: '/usr/local/share/ca-certificates', suffix: 'crt' },
] as const
const DEBIAN = LAYOUTS[2]

/** It reads the store once, when it starts; other programs are the affair of `restartOn`. */
const RUNTIME_UNIT = 'containerd.service'

interface CertificateSpec {
  readonly path: string
  /** Missing: as it was before. */
  readonly content?: string
  readonly before?: FileBaseline
}

const section: Section = {
  key: 'certificates',
  schema: SYSTEM_SECTIONS.certificates,
  managed: async (certificates: readonly HostCertificate[], place) => {
    const paths = await pathsOf(certificates, place)
    return {
      claims: paths.map((key) => ({ kind: 'certificate', key })),
      triggers: [{ unit: RUNTIME_UNIT, subjects: paths }],
    }
  },
  // The same name for the owners of all hosts, wherever the file is.
  unnamedPaths: (certificates: readonly HostCertificate[]) => certificates.map(({ name }) => `/etc/ssl/certs/nodewave-${name}`),
  resources: async (certificates: readonly HostCertificate[], _, place) => {
    const paths = await pathsOf(certificates, place)
    return certificates.map(({ content }, index) => certificate.of({ path: paths[index] ?? '', content }))
  },
}

/** An authority that programs on the host trust: a file, and the store that is made of all of them. */
export const certificate: Kind<CertificateSpec> = defineKind({
  name: 'certificate',
  version: 1,
  section,
  subject: ({ path }: CertificateSpec) => path,
  observe: ({ path }, { files }) => readRegular(files, path),
  differ: ({ path, content, before }, actual): FileChange | undefined => {
    const found = actual && sha256Of(actual.bytes)
    const wanted = content === undefined ? before?.saved?.sha256 : sha256Of(Buffer.from(content))
    if (found === wanted) return undefined
    if (content !== undefined) return { do: 'write', path, bytes: Buffer.from(content), ...(actual ? {} : { mode: 0o644 }) }
    if (before?.saved === undefined) return { do: 'remove', path, directories: before?.directories }
    const { at, mode, uid, gid } = before.saved
    return { do: 'install', path, from: at, mode, uid, gid }
  },
  perform: async (change: FileChange, host) => {
    await fileHands.perform(change, host)
    await host.trustStore.rebuild()
  },
  undo: {
    ...fileHands.undo,
    perform: async (undone, host) => {
      await fileHands.undo.perform(undone, host)
      await host.trustStore.rebuild()
    },
  },
  baseline: {
    ...fileBaselines,
    giveBack: async (base, files, managed) => {
      await verifyContent(base, files)
      const directories = directoriesToRemove(base.directories, managed)
      return certificate.of({ path: base.path, before: { ...base, ...(directories && { directories }) } })
    },
  },
})

async function pathsOf(certificates: readonly HostCertificate[], { files }: SectionPlace): Promise<string[]> {
  const layout = await layoutOf(files)
  return certificates.map((spec) => pathIn(layout, spec))
}

async function layoutOf(files: HostHands['files']): Promise<(typeof LAYOUTS)[number]> {
  for (const layout of LAYOUTS) if ((await files.stat(layout.directory))?.type === 'directory') return layout
  return DEBIAN
}

function pathIn({ directory, suffix }: (typeof LAYOUTS)[number], { name }: Pick<HostCertificate, 'name'>): string {
  return `${directory}/nodewave-${name}.${suffix}`
}
