// Prints, as JSON, the number under which protobuf has each field of the kinds that the arguments name, such as "apps/v1/Deployment".
package main

import (
	"encoding/json"
	"log"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Types that read and write themselves: the server has a function for each.
var wellKnown = []reflect.Type{
	reflect.TypeFor[metav1.Time](),
	reflect.TypeFor[metav1.MicroTime](),
	reflect.TypeFor[metav1.FieldsV1](),
	reflect.TypeFor[intstr.IntOrString](),
	reflect.TypeFor[resource.Quantity](),
	reflect.TypeFor[authenticationv1.ExtraValue](),
}

var messages = map[string]map[string]string{}

func main() {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		admissionv1.AddToScheme, appsv1.AddToScheme, authenticationv1.AddToScheme, authorizationv1.AddToScheme, batchv1.AddToScheme,
		coordinationv1.AddToScheme, corev1.AddToScheme, eventsv1.AddToScheme, policyv1.AddToScheme, rbacv1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			log.Fatal(err)
		}
	}
	roots := map[string]string{}
	for _, kind := range os.Args[1:] {
		groupVersion, name := path.Split(kind)
		object, err := scheme.New(schema.FromAPIVersionAndKind(strings.TrimSuffix(groupVersion, "/"), name))
		if err != nil {
			log.Fatal(err)
		}
		roots[kind] = message(reflect.TypeOf(object).Elem())
	}
	message(reflect.TypeFor[runtime.Unknown]()) // the envelope of each
	if err := json.NewEncoder(os.Stdout).Encode(map[string]any{"roots": roots, "messages": messages}); err != nil {
		log.Fatal(err)
	}
}

// The name of a message, as in "core.v1.Pod"; its fields are noted.
func message(t reflect.Type) string {
	directory, last := path.Split(t.PkgPath())
	name := path.Base(directory) + "." + last + "." + t.Name()
	if _, noted := messages[name]; noted || slices.Contains(wellKnown, t) {
		return name
	}
	fields := map[string]string{}
	messages[name] = fields
	for i := range t.NumField() {
		if tag := strings.Split(t.Field(i).Tag.Get("protobuf"), ","); len(tag) > 1 {
			fields[tag[1]] = fieldOf(t.Field(i))
		}
	}
	return name
}

// "NAME TYPE", with "omitempty" where JSON leaves out a zero that protobuf sends, and "..." for a name where JSON has the members inline.
func fieldOf(field reflect.StructField) string {
	name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
	if strings.Contains(options, "inline") {
		name = "..."
	} else if name == "" || name == "-" { // of the envelope, which is no JSON
		name = strings.ToLower(field.Name[:1]) + field.Name[1:]
	}
	text := name + " " + typeOf(field.Type)
	switch field.Type.Kind() {
	case reflect.Pointer, reflect.Struct, reflect.Map:
		return text
	case reflect.Slice:
		if field.Type.Elem().Kind() != reflect.Uint8 {
			return text
		}
	}
	if strings.Contains(options, "omitempty") {
		return text + " omitempty"
	}
	return text
}

func typeOf(t reflect.Type) string {
	if slices.Contains(wellKnown, t) {
		return message(t)
	}
	switch t.Kind() {
	case reflect.Pointer:
		return typeOf(t.Elem())
	case reflect.Struct:
		return message(t)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + typeOf(t.Elem())
	case reflect.Map:
		if t.Key().Kind() != reflect.String {
			log.Fatalf("%s: a map with keys that are no strings", t)
		}
		return "map[]" + typeOf(t.Elem())
	case reflect.String, reflect.Bool, reflect.Int32, reflect.Int64:
		return t.Kind().String()
	}
	log.Fatalf("%s: a type that the server cannot decode", t)
	return ""
}
