import { sectionsByPath } from '../protocol/written-paths.ts'
import type { FleetModel } from '../repo/model.ts'
import { type LayerSubject, named } from './layers.ts'
import { renderHostDocument } from './render-host.ts'
import { type Origin, problemAt, type RenderProblem } from './render-problem.ts'

interface NamedPath extends Origin {
  readonly what: string
  readonly value: string
}

/**
 * A file, an edit or a link that names a path which a section of a HostProfile writes, too: agents would refuse the whole assignment. Sections may
 * share a path between them, as groups and users do.
 */
export function sectionClashes(model: FleetModel, subject: LayerSubject): RenderProblem[] {
  const sections = sectionsByPath(renderHostDocument(model, subject))
  return namedPaths(model, subject).flatMap((claim) => {
    const section = sections.get(claim.value)
    if (section === undefined || section === claim.path[0]) return []
    const writer = writerOf(claim.value, section, { model, subject })
    const message = `${claim.what} "${claim.value}": it is written by ${section} of ${writer.doc.kind} "${writer.doc.name}", too; take one of them out`
    return [problemAt(message, claim, writer)]
  })
}

function namedPaths(model: FleetModel, { pool, overrides }: LayerSubject): NamedPath[] {
  const profiles = named(model.hostProfiles, pool.spec.hostProfiles)
  return [
    ...[...profiles, ...overrides].flatMap((doc) =>
      (doc.spec.files ?? []).map(({ path }, index) => ({ doc, path: ['files', index, 'path'], what: 'file', value: path })),
    ),
    ...[...profiles, ...overrides].flatMap((doc) =>
      (doc.spec.edits ?? []).map(({ path }, index) => ({ doc, path: ['edits', index, 'path'], what: 'edit of', value: path })),
    ),
    ...profiles.flatMap((doc) =>
      (doc.spec.links ?? []).map(({ path }, index) => ({ doc, path: ['links', index, 'path'], what: 'link', value: path })),
    ),
  ]
}

/** The pool itself, when it is none of its documents: its release has a repository. */
function writerOf(
  path: string,
  section: string,
  { model, subject: { pool, overrides } }: { readonly model: FleetModel; readonly subject: LayerSubject },
): Origin {
  const writes = (subject: LayerSubject) => sectionsByPath(renderHostDocument(model, subject)).get(path) === section
  const bare = (hostProfiles: string[]) => ({ ...pool, spec: { ...pool.spec, kubelet: {}, hostProfiles } })
  const writer =
    named(model.hostProfiles, pool.spec.hostProfiles).find(({ name }) => writes({ pool: bare([name]), overrides: [] })) ??
    overrides.find((override) => writes({ pool: bare([]), overrides: [override] }))
  return writer === undefined ? { doc: pool, path: ['kubelet', 'release'] } : { doc: writer, path: [section] }
}
