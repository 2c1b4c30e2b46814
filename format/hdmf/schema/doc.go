// Package schema reads the schema language of HDMF, in which NWB and other
// formats say what their files hold: namespaces of types, which inherit from each
// other, and for each type the attributes, datasets, groups and links that an
// object of it has.
//
// A Catalog takes the texts that files cache, JSON documents by namespace, version
// and source, in any order. A type that is asked for comes with inheritance
// resolved: its own members merged over those of the types that it inherits from.
//
// The texts come out of files and are not trusted. What is wrong with a type makes
// that type, and those that inherit from it, unusable, and is told by Problems;
// all the others remain.
package schema
