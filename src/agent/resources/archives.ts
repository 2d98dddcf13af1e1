import { HOST_SECTIONS, type HostArchive } from '../../protocol/host-document.ts'
import { type ArchiveSource, readManifest } from '../archive/bring-archive.ts'
import { artifactFor } from './artifact-for.ts'
import { storedAt } from './bring-origin.ts'
import { file, fileClaim } from './file.ts'
import { readersOf } from './file-triggers.ts'
import type { Section, SectionPlace } from './kind.ts'
import { link, linkClaim } from './link.ts'

/** Archives are files and links like any other once it is known what they hold. */
export const archives: Section = {
  key: 'archives',
  schema: HOST_SECTIONS.archives,
  managed: async (list: readonly HostArchive[], place) => {
    const held = await Promise.all(list.map((archive) => membersOf(archive, place)))
    const files = held.flatMap((members) => members.files)
    const links = held.flatMap((members) => members.links)
    return {
      claims: [...files.map(({ path }) => fileClaim(path)), ...links.map(({ path }) => linkClaim(path))],
      triggers: [...files, ...links].flatMap(({ path }) => readersOf(path)),
    }
  },
  resources: async (list: readonly HostArchive[], _, place) => {
    const held = await Promise.all(list.map((archive) => membersOf(archive, place)))
    return held.flatMap(({ source, files, links }) => [
      ...files.map(({ path, sha256, mode }) => {
        const content = { from: storedAt(place.paths, sha256), sha256, origin: { archive: source } }
        return file.of({ path, content, mode, uid: 0, gid: 0 })
      }),
      ...links.map(({ path, target }) => link.of({ path, target })),
    ])
  },
}

/** What this machine downloads of an archive. */
export function sourceOf({ name, strip = 0, ...source }: HostArchive, arch: string): ArchiveSource {
  return { artifact: artifactFor(source, { arch, what: name }), strip }
}

async function membersOf(archive: HostArchive, place: SectionPlace) {
  const source = sourceOf(archive, place.arch)
  const { files, links } = await readManifest(source, place)
  const at = <Member extends { readonly place: string }>(member: Member) => ({
    ...member,
    path: `${archive.directory}/${member.place}`,
  })
  return { source, files: files.map(at), links: links.map(at) }
}
