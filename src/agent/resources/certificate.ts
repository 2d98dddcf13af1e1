import { type HostCertificate, SYSTEM_SECTIONS } from '../../protocol/system-sections.ts'
import { CERTIFICATE_PLACES, certificateFile } from '../../protocol/written-paths.ts'
import { defineKind } from './define-kind.ts'
import { fileBaselines } from './file-baseline.ts'
import type { HostHands, Kind, Section, SectionPlace } from './kind.ts'
import { derivedFileHands, differOwnFile, type OwnFileSpec, ownFileBefore } from './own-file.ts'
import { readRegular } from './regular-file.ts'

const DEBIAN = CERTIFICATE_PLACES[2]

/** It reads the store once, when it starts; other programs are the affair of `restartOn`. */
const RUNTIME_UNIT = 'containerd.service'

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
  resources: async (certificates: readonly HostCertificate[], _, place) => {
    const paths = await pathsOf(certificates, place)
    return certificates.map(({ content }, index) => certificate.of({ path: paths[index] ?? '', content }))
  },
}

/** An authority that programs on the host trust: a file, and the store that is made of all of them. */
export const certificate: Kind<OwnFileSpec> = defineKind({
  name: 'certificate',
  ...derivedFileHands(({ trustStore }) => trustStore),
  section,
  subject: ({ path }: OwnFileSpec) => path,
  observe: ({ path }, { files }) => readRegular(files, path),
  differ: differOwnFile,
  baseline: {
    ...fileBaselines,
    giveBack: async (base, files, managed) => certificate.of(await ownFileBefore(base, { files, managed })),
  },
})

async function pathsOf(certificates: readonly HostCertificate[], { files }: SectionPlace): Promise<string[]> {
  const layout = await layoutOf(files)
  return certificates.map(({ name }) => certificateFile(layout, name))
}

async function layoutOf(files: HostHands['files']): Promise<(typeof CERTIFICATE_PLACES)[number]> {
  for (const place of CERTIFICATE_PLACES) if ((await files.stat(place.directory))?.type === 'directory') return place
  return DEBIAN
}
