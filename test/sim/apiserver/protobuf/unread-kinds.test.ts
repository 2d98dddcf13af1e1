import { expect, test } from 'vitest'
import { readObject } from '../../../../src/sim/apiserver/requests/read-body.ts'
import { builtIn } from '../../../../src/sim/apiserver/resources/built-in.ts'
import { envelope } from './write-wire.ts'

test('a kind without fields in protobuf is refused with the media types that it has', () => {
  const type = builtIn({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    namespaced: false,
  })
  const body = envelope('apiextensions.k8s.io/v1', 'CustomResourceDefinition')

  expect(() => readObject({ contentType: 'application/vnd.kubernetes.protobuf', body, type })).toThrow(
    'the body of the request was in an unknown format - accepted media types include: application/json, application/yaml',
  )
})
