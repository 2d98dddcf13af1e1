import type { Doc, Location } from '../repo/model.ts'

/** Why a node cannot be rendered, and where in the repository that comes from. The other nodes are not concerned. */
export interface RenderProblem {
  readonly message: string
  /** The place to look at first comes first. */
  readonly where: readonly Location[]
}

/** A place within a document's spec. */
export interface Origin {
  readonly doc: Doc<unknown>
  readonly path: readonly (string | number)[]
}

export function locate({ doc, path }: Origin): Location {
  return doc.source.where(path)
}

export function problemAt(message: string, ...origins: readonly Origin[]): RenderProblem {
  return { message, where: origins.map(locate) }
}

/** Thrown where a value cannot be rendered; caught where the node's result is put together. */
export class RenderError extends Error {
  override readonly name = 'RenderError'
  readonly problem: RenderProblem
  constructor(problem: RenderProblem, options?: ErrorOptions) {
    super(problem.message, options)
    this.problem = problem
  }
}

/** @returns undefined when the work could not be done; the reason is then among the problems. */
export function collecting<Result>(problems: RenderProblem[], work: () => Result): Result | undefined {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof RenderError)) throw error
    problems.push(error.problem)
    return undefined
  }
}
