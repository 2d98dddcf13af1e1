import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** A file of these begun last would leave all cores but one idle at the end. */
const LONGEST = ['/test/cli/demo.test.ts', '/test/scenarios/', '/test/resilience/', '/test/package/']

/** In a fresh clone, vitest knows of no earlier run, and goes by the sizes of files: the stories are a few lines. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => place(a) - place(b))
  }
}

function place({ moduleId }: TestSpecification): number {
  const index = LONGEST.findIndex((part) => moduleId.includes(part))
  return index < 0 ? LONGEST.length : index
}
